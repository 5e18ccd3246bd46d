import { ENGINE_ROWS } from "./engine-rows.ts";
import { PARTITION_ROW } from "./partition-row.ts";
import { PROCESS_ROWS } from "./process-rows.ts";
import { RECONNECT_ROW } from "./reconnect-row.ts";
import type { Row } from "./row.ts";
import { USER_ROWS } from "./user-rows.ts";

/** The rows of the table of failures. */
export const ROWS: readonly Row[] = [
  ...PROCESS_ROWS,
  ...ENGINE_ROWS,
  PARTITION_ROW,
  ...USER_ROWS,
  RECONNECT_ROW,
];
