import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Changes a database as anybody with access to the disk could. */
export function changeDatabase(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "gateway.db"), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** The only value that a query returns. */
export function queryValue(folder: string, sql: string): unknown {
  const database = new DatabaseSync(join(folder, "gateway.db"), { readOnly: true });
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  database.close();
  return value;
}
