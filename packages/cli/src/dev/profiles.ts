// The measured behaviour of other hosts as data: `profiles/*.json`, each with its source and date. A
// profile changes the host context and the responses; the sandbox stays as strict as it is.

import { readdir, readFile } from "node:fs/promises";
import { checkProfile, type HostProfile } from "./host-profile.ts";

const FOLDER = new URL("../../profiles/", import.meta.url);

/** Reads the profiles in the package. */
export async function readProfiles(folder: URL = FOLDER): Promise<HostProfile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    names.map(async (name) =>
      checkProfile(JSON.parse(await readFile(new URL(name, folder), "utf8")), name),
    ),
  );
}
