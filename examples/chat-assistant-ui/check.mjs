// Starts the chat as a user would, and drives its page in Chromium.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("src/main.ts", import.meta.url));
// With the flags this was started with, such as those for the sources instead of the build.
const { status } = spawnSync(process.execPath, [...process.execArgv, main, "--check"], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
