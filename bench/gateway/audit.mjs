// What a record of the audit log costs the thread that makes it, and in all: `record()` alone, then with
// hashing, batching and the engine. CPU time, median of rounds taken in turns.
//
//   node --experimental-strip-types --no-warnings --conditions=@vitrine/source bench/gateway/audit.mjs

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEngine, openFileEngine } from "@vitrine/gateway/engine";
import { createAudit } from "../../packages/gateway/src/audit/index.ts";
import { toDecimal, toTable } from "../table.mjs";
import { readMachineTime } from "../view/processor-time.mjs";
import { median } from "../view/statistics.mjs";

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 5 : 15;
const RECORDS = isQuick ? 2_000 : 10_000;
/** Microseconds of CPU that `record()` may take at the level the gateway has unless told. */
const MOST = 10;
const LEVELS = ["meta", "digest", "full"];

const entry = {
  event: "request",
  actor: { tenant: "acme", user: "ann@example.com", view: "v-3f2a9c" },
  server: "weather",
  method: "tools/call",
  tool: "forecast",
  decision: { verdict: "allow", link: "consent" },
  sizes: { received: 512 },
  trace: "4bf92f3577b34da6a3ce929d0e0e4736",
  arguments: { city: "Tromsø", days: 3, note: "The quick brown fox jumps. ".repeat(12) },
};

function usedCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of CPU for each record: of the calls, and until all are stored. */
async function measure(audit) {
  const start = usedCpu();
  let calls = 0;
  for (let n = 0; n < RECORDS; n += 100) {
    const before = usedCpu();
    for (let m = 0; m < 100; m++) audit.record(entry);
    calls += usedCpu() - before;
    await (audit.hold() ?? new Promise(setImmediate));
  }
  await audit.flushed();
  return { calls: calls / RECORDS, all: (usedCpu() - start) / RECORDS };
}

const folder = await mkdtemp(join(tmpdir(), "vitrine-audit-"));
const before = readMachineTime();
const own = usedCpu();
const results = new Map();
for (let round = 0; round < ROUNDS; round++) {
  for (const driver of ["memory", "file"]) {
    const engine =
      driver === "memory"
        ? createMemoryEngine({ maxLogBytes: 2 ** 30 })
        : await openFileEngine({ folder: join(folder, String(round)) });
    for (const level of LEVELS) {
      const audit = await createAudit({ engine, node: "bench", level, maxQueueBytes: 2 ** 24 });
      const name = `${driver}, ${level}`;
      const samples = results.get(name) ?? [];
      results.set(name, [...samples, await measure(audit)]);
      await audit.close();
    }
    await engine.close();
  }
}
await rm(folder, { recursive: true, force: true });
const after = readMachineTime();
const others = after.busy - before.busy - (usedCpu() - own) / 1_000;

// The first round warms up.
const middle = (name, part) =>
  median(
    results
      .get(name)
      .slice(1)
      .map((sample) => sample[part]),
  );
const rows = [...results.keys()].map((name) => [
  name,
  toDecimal(middle(name, "calls")),
  toDecimal(middle(name, "all")),
]);
console.log(toTable(["engine, level", "record() µs CPU", "in all µs CPU"], rows));
console.log(
  `\n${RECORDS} records a round, ${ROUNDS} rounds; others used ${toDecimal((100 * others) / (after.total - before.total), 0)} % of the machine.`,
);
const figure = middle("file, digest", "calls");
const ok = figure <= MOST;
console.log(
  `record() at digest, file engine: ${toDecimal(figure)} µs, at most ${MOST}: ${ok ? "ok" : "FAILED"}`,
);
process.exitCode = ok ? 0 : 1;
