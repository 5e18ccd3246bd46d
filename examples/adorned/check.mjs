// Three servers of others, adorned, in our Host in Chromium: each call's data has to be seen.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { status } = spawnSync(
  process.execPath,
  [
    "--experimental-strip-types",
    "--no-warnings",
    "--conditions=@vitrine/source",
    fileURLToPath(new URL("src/run.ts", import.meta.url)),
    ...process.argv.slice(2),
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
