import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authorizer, createAuthorizer } from "../../../src/policy/authorization/authorizer.ts";
import { type Cedar, loadCedar } from "../../../src/policy/authorization/cedar.ts";
import { readPolicies } from "../../../src/policy/authorization/policy-files.ts";

/** An authorizer for the text of policies. */
export async function authorizerOf(text: string, cedar?: Cedar): Promise<Authorizer> {
  const engine = cedar ?? (await loadCedar());
  return withFolder({ "policies.cedar": text }, async (folder) =>
    createAuthorizer(engine, await readPolicies(engine, folder)),
  );
}

/** Writes files to a folder that exists during the call. */
export async function withFolder<T>(
  files: Record<string, string>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "policies-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
