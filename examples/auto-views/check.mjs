// Runs three third-party servers with auto views in Chromium and checks that each call's data is visible.

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
