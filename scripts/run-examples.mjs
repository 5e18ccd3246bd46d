// Runs each example's own check: an example that does not hold what it shows is a lie.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const stories = readdirSync("examples").filter((name) => existsSync(`examples/${name}/check.mjs`));
let failed = 0;
for (const story of stories) {
  const { status } = spawnSync(process.execPath, [`examples/${story}/check.mjs`], {
    stdio: "inherit",
  });
  if (status !== 0) failed++;
}
console.log(`examples: ${stories.length - failed} passed, ${failed} failed`);
if (failed > 0 || stories.length === 0) process.exitCode = 1;
