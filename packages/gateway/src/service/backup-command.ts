// `backup` and `restore`: copies of the database of the engine sqlite.

import { HEADS_BUCKET, verifyAudit } from "../audit/index.ts";
import { backUpDatabase, checkDatabase, restoreDatabase } from "../engine/index.ts";
import type { Print } from "./audit-command.ts";
import { openDatabaseSource } from "./audit-source.ts";

/** A database and its copy. */
export interface BackupOptions {
  /** The engine's folder. */
  folder: string;
  /** The folder of the keys that the audit log was written with. */
  keys: string;
  file: string;
  print: Print;
}

/** Writes a backup; a gateway may use the folder. */
export function backupCommand({ folder, file, print }: BackupOptions): number {
  backUpDatabase(folder, file);
  print(`Wrote ${file}. Keep the key files too: without them it can't be read.\n`);
  return 0;
}

/** Checks a backup and puts it in the place of the database; returns 1 if its audit log was changed. */
export async function restoreCommand({
  force,
  ...options
}: BackupOptions & { force: boolean }): Promise<number> {
  const { folder, keys, file, print } = options;
  checkDatabase(file);
  const source = openDatabaseSource({ file }, keys);
  const { log, kv, keys: chain } = source;
  const found = await verifyAudit({
    log,
    heads: kv(HEADS_BUCKET),
    ...(chain && { keys: chain }),
  }).finally(() => source.close());
  for (const { text } of found.findings) print(`WRONG   ${text}\n`);
  if (!found.ok && !force) {
    print(
      `${file} wasn't restored: its audit log has the findings above. Use --force to accept them.\n`,
    );
    return 1;
  }
  const aside = await restoreDatabase(folder, file);
  print(`Restored ${file} into ${folder}, with ${found.records} audit records.\n`);
  if (aside !== undefined)
    print(`The database before is ${aside}. Remove it when you don't need it.\n`);
  return 0;
}
