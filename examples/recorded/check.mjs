// Plays the recording back: as it was, with the View of today, and with one that forgot to say something.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const isSource = process.execArgv.some((flag) => flag.includes("@vitrine/source"));
const main = path(`../../packages/cli/${isSource ? "src/main.ts" : "dist/main.js"}`);

function play(...server) {
  const args = [...process.execArgv, main, "dev", "--replay", path("recording.json"), "--check"];
  const program = ["--", process.execPath, ...process.execArgv, ...server];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, ...(server.length > 0 ? program : [])],
    {
      encoding: "utf8",
    },
  );
  return { status, said: stdout + stderr };
}

const asItWas = play();
assert.equal(asItWas.status, 0, asItWas.said);
console.log(`recorded: as it was: ${asItWas.said.trim()}`);

const today = play(path("server.mjs"));
assert.equal(today.status, 0, today.said);
console.log(`recorded: the View of today: ${today.said.trim()}`);

const silent = readFileSync(path("view.html"), "utf8").replace(
  "await app.updateModelContext",
  "void",
);
writeFileSync(path("silent-view.html"), silent);
try {
  const changed = play(path("server.mjs"), "silent-view.html");
  assert.equal(changed.status, 1, changed.said);
  assert.match(changed.said, /Message \d+ of the view in View 1 differs/);
  assert.match(changed.said, /ui\/update-model-context/);
  console.log("recorded: a View that does not tell the model any more is found");
} finally {
  rmSync(path("silent-view.html"));
}
