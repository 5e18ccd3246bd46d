// How many instructions of its own a process runs for a call, counted by valgrind: the same from run to run
// within a few per cent, whatever else uses the machine, so that it shows a change of the code that no clock
// here can show. Not counted is what the system does; hashes count too much, because valgrind knows none of the
// processor's own instructions for them; and time passes slowly, so that what waits for a while gathers less.
// Judged is CPU time, by run.mjs.
//
//   npm run bench:gateway:instructions                          all variants of variants.ts, some minutes
//   npm run bench:gateway:instructions -- ws-policy hop-ours    these

import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toDecimal, toTable } from "../table.mjs";
import { FLAGS } from "./bench-processes.mjs";
import { connectTo } from "./variant-load.mjs";

const ALL = [
  "ws-echo",
  "ws-policy",
  "ws-audit",
  "http-echo",
  "http-policy",
  "hop-bare",
  "hop-ours",
];
/** Calls before the first that counts: until then code is being compiled. */
const WARM_UP = 40_000;
const ROUNDS = 4;
const CALLS = 1_000;
const PROGRAM = fileURLToPath(new URL("./variants.ts", import.meta.url));

function control(...args) {
  execFileSync("callgrind_control", args, { stdio: "ignore" });
}

/** The count since the last call. */
function take(folder, pid) {
  control("--dump", `${pid}`);
  let sum = 0;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith("out")) continue;
    const text = readFileSync(join(folder, name), "utf8");
    sum += Number(/^(?:summary|totals): (\d+)/m.exec(text)?.[1] ?? 0);
    rmSync(join(folder, name));
  }
  return sum;
}

async function start(name, { args = [], execPath = process.execPath } = {}) {
  const child = fork(PROGRAM, [name, ...args], { execArgv: FLAGS, execPath });
  const [{ port }] = await once(child, "message");
  return { name, port, child };
}

/** A `node` process whose counting starts on request. */
function countedNode(folder) {
  const path = join(folder, "node");
  const options = `--tool=callgrind --instr-atstart=no --smc-check=all-non-file --callgrind-out-file=${folder}/out`;
  writeFileSync(path, `#!/bin/sh\nexec valgrind -q ${options} ${process.execPath} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Instructions a call, the least of some rounds: what compiles or collects in between comes on top. */
async function count(name, server) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-count-"));
  const counted = await start(name, { args: [server], execPath: countedNode(folder) });
  try {
    const load = await connectTo(counted);
    await load(WARM_UP);
    control("-i", "on", `${counted.child.pid}`);
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round++) {
      await load(CALLS);
      rounds.push(take(folder, counted.child.pid) / CALLS);
    }
    return Math.min(...rounds.slice(1));
  } finally {
    counted.child.disconnect();
    await once(counted.child, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2).filter((name) => !name.startsWith("--"));
try {
  execFileSync("valgrind", ["--version"], { stdio: "ignore" });
} catch {
  console.error("This needs valgrind; install it with: apt-get install valgrind");
  process.exit(1);
}
const server = await start("bare-server");
const rows = [];
for (const name of asked.length > 0 ? asked : ALL) {
  const counted = await count(name, `http://127.0.0.1:${server.port}/mcp`);
  rows.push([name, toDecimal(counted / 1000, 1)]);
}
server.child.disconnect();
console.log(toTable(["instructions a call", "thousand"], rows));
process.exit();
