import { createRequire } from "node:module";

/** The version of this program. */
export const PROGRAM_VERSION: string = (
  createRequire(import.meta.url)("../../package.json") as { version: string }
).version;
