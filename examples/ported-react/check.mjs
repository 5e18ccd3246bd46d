// Runs this page with both SDKs under the official bridge and compares what happens.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const test = "test/parity/ported-react.browser.test.ts";
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "browser", test],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;
