import { BLOCKED_ROW } from "./blocked-row.ts";
import { DISK_ROW } from "./disk-row.ts";
import { ENGINE_ROWS } from "./engine-rows.ts";
import { PARTITION_ROW } from "./partition-row.ts";
import { PROCESS_ROWS } from "./process-rows.ts";
import { RECONNECT_ROW } from "./reconnect-row.ts";
import type { Row } from "./row.ts";
import { SIZE_ROW } from "./size-row.ts";
import { UPSTREAM_ROWS } from "./upstream-rows.ts";
import { USER_ROWS } from "./user-rows.ts";
import { VERSION_ROW } from "./version-row.ts";
import { VIEW_ROWS } from "./view-rows.ts";

/** The rows of the table of failures, in its order. */
export const ROWS: readonly Row[] = [
  ...PROCESS_ROWS,
  ...ENGINE_ROWS,
  VERSION_ROW,
  PARTITION_ROW,
  ...UPSTREAM_ROWS,
  ...VIEW_ROWS,
  BLOCKED_ROW,
  RECONNECT_ROW,
  SIZE_ROW,
  DISK_ROW,
  ...USER_ROWS,
].sort((a, b) => a.number - b.number);
