// Entry of `npm run redteam:pauses`: how long a view's tools keep the host's page from answering its user.
import { parseArgs } from "node:util";
import { Scene } from "./checks/check.ts";
import { measurePauses, pauseComplaints } from "./checks/host-pause-checks.ts";
import { openLaboratory } from "./lab/laboratory.ts";
import { openTheatre } from "./stage/theatre.ts";

const USAGE = `npm run redteam:pauses [-- --seconds <n>]
  --seconds <n>  how long the tools are used; 60 by default`;

async function main(seconds: number): Promise<boolean> {
  const laboratory = await openLaboratory();
  const theatre = await openTheatre(laboratory.certificate);
  try {
    const stage = theatre.tiers.find(({ name }) => name === "tier-2");
    if (!stage) throw new Error("There is no stage tier-2.");
    const scene = new Scene(laboratory, stage);
    const pauses = await measurePauses(scene, seconds);
    await scene.close();
    const { busy, quiet, work, during, calls, taken } = pauses;
    const complaints = pauseComplaints(pauses);
    for (const complaint of complaints) process.stdout.write(`FAILURE ${complaint}\n`);
    process.stdout.write(
      `pauses: ${busy} ms at most, ${quiet} ms in quiet turns; most processor time: ${work} ms, for "${during}"; ${calls} calls in ${seconds} s, ${taken} results taken\n`,
    );
    return complaints.length === 0;
  } finally {
    theatre.close();
    await laboratory.close();
  }
}

try {
  const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new RangeError(`--seconds ${values.seconds} is not a time.`);
  process.exitCode = (await main(seconds)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error}\n${USAGE}\n`);
  process.exitCode = 2;
}
