// `npm run faults [-- --quick] [-- row …]`: real processes, real NATS, one failure after the other. The words `upgrade`
// and `keys` run planned changes instead.

import { startNats } from "@vitrine/internal/nats-server";
import { CHANGE_ROWS } from "./change-rows.ts";
import { ROWS } from "./rows.ts";

const words = process.argv.slice(2);
const quick = words.includes("--quick");
const wanted = words.filter((word) => word !== "--quick");
const failureRows = ROWS.map((row) => ({ ...row, name: `${row.number}` }));
const all = [...failureRows, ...CHANGE_ROWS];
const rows = wanted.length === 0 ? failureRows : all.filter(({ name }) => wanted.includes(name));
// Otherwise a misspelt row would be a run without any failure.
if (wanted.some((word) => !all.some(({ name }) => name === word))) {
  const changes = CHANGE_ROWS.map(({ name }) => name).join(", ");
  console.error(`There is no such row; give --quick, ${changes}, or some of 1 to ${ROWS.length}.`);
  process.exit(2);
}
// An interrupted run ends its child processes in the handlers of `exit`.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(130));
const nats = await startNats({ nodes: 3 });
let failures = 0;
const left: string[] = [];

for (const { name, title, run } of rows) {
  const before = performance.now();
  try {
    const { zeros, counts, times, notes = [], notRun = [] } = await run(nats, { quick });
    const isGood = zeros.lost + zeros.twice + zeros.owners === 0;
    if (!isGood) failures += 1;
    console.log(`${isGood ? "ok  " : "FAIL"} ${name}. ${title}`);
    console.log(`       lost ${zeros.lost}, made twice ${zeros.twice}, two owners ${zeros.owners}`);
    const { calls, answered, unknown, refused } = counts;
    console.log(
      `       ${calls} calls: ${answered} answered, ${unknown} unknown, ${refused} refused`,
    );
    for (const [what, time] of Object.entries(times)) {
      console.log(`       ${what}: ${(time / 1000).toFixed(2)} s`);
    }
    for (const note of notes) console.log(`       ${note}`);
    for (const why of notRun) {
      console.log(`       not run: ${why}`);
      left.push(`${name}: ${why}`);
    }
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${name}. ${title}`);
    console.log(`       ${`${(error as Error).stack}`.split("\n").slice(0, 30).join("\n       ")}`);
  }
  console.log(`       took ${((performance.now() - before) / 1000).toFixed(0)} s`);
}
await nats.stop();
console.log(`${rows.length - failures} of ${rows.length} rows hold.`);
for (const why of left) console.log(`not run of row ${why}`);
process.exit(failures > 0 ? 1 : 0);
