// What other Hosts were measured to offer, as data: `profiles/*.json`, each with its source and date. A
// profile changes what a View is told and answered here; the Sandbox stays as strict as it is.

import { readdir, readFile } from "node:fs/promises";
import { checkProfile, type HostProfile } from "./host-profile.ts";

const FOLDER = new URL("../../profiles/", import.meta.url);

/** Reads the profiles that come with the package. */
export async function readProfiles(folder: URL = FOLDER): Promise<HostProfile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    names.map(async (name) =>
      checkProfile(JSON.parse(await readFile(new URL(name, folder), "utf8")), name),
    ),
  );
}
