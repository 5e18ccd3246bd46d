// Checks the tutorial and its app: the README shows the real source, the view builds, its tests pass in
// Chromium, `vitrine check` finds nothing, and axe finds nothing in any story, light and dark, on a phone
// and on a desktop. `--pictures <folder>` also takes a picture of each.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Blocks that begin with a path have to be in that file, line by line. */
function checkReadme() {
  const readme = readFileSync(`${here}README.md`, "utf8");
  const blocks = [
    ...readme.matchAll(
      /^```(?:ts|tsx|css|json)\n(?:\/\/|\/\*) (\S+\.\w+)(?: \*\/)?\n([\s\S]*?)^```$/gm,
    ),
  ];
  assert.ok(blocks.length >= 8, "The tutorial shows the files of the app.");
  for (const [, path, code] of blocks) {
    assert.ok(existsSync(`${here}${path}`), `README.md shows ${path}, which doesn't exist.`);
    const source = readFileSync(`${here}${path}`, "utf8");
    assert.ok(source.includes(code.trim()), `README.md shows ${path} as it was, not as it is.`);
  }
  return blocks.length;
}

function run(words, options = {}) {
  const { status } = spawnSync(process.execPath, words, {
    cwd: here,
    stdio: "inherit",
    ...options,
  });
  assert.equal(status, 0, words.join(" "));
}

const blocks = checkReadme();
run([
  `${root}node_modules/vite/bin/vite.js`,
  "build",
  "--configLoader",
  "native",
  "--logLevel",
  "warn",
]);
const pictures = process.argv[process.argv.indexOf("--pictures") + 1];
const env = { ...process.env, ...(process.argv.includes("--pictures") && { PICTURES: pictures }) };
run(
  [`${root}node_modules/vitest/vitest.mjs`, "run", "--root", here, "--config", "vitest.config.ts"],
  { env },
);
run([`${root}packages/cli/dist/main.js`, "check", "--ci", "server/main.ts"]);
console.log(`expenses: ${blocks} blocks of the README are the real source; the app is healthy.`);
