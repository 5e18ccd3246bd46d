// One View through all its runs.

import { shellQuoted } from "@vitrine/protocol/printable";
import type { Code } from "../codes.ts";
import type { Finding } from "../finding.ts";
import { brief } from "../json.ts";
import { judgeFaults } from "./judge-faults.ts";
import { judgeNormal } from "./judge-normal.ts";
import { judgeQuality } from "./judge-quality.ts";
import type { Renderer } from "./renderer.ts";
import { RUNS, type Run, type RunName } from "./runs.ts";
import { diagnosticsOf, isBlank, type Sighting } from "./sighting.ts";
import { does, type Subject } from "./subject.ts";

/** What rendering a View brought. */
export interface Rendering {
  sightings: Sighting[];
  findings: Finding[];
  isShown: boolean;
}

const OF_RESULTS: readonly Code[] = ["script-error", "empty", "stuck"];
// A Chromium has its own processes for each; more at once only slows all of them down.
const AT_ONCE = 3;

/** Shows a View in every way; one that does not come up at all is shown once. */
export async function renderView(
  renderer: Renderer,
  subject: Subject,
  names: readonly RunName[] = RUNS.map(({ name }) => name),
): Promise<Rendering> {
  const [first, ...others] = RUNS as readonly [Run, ...Run[]];
  const hurried = await renderer.show(first, subject.call);
  const normal = isUnexplained(hurried, subject)
    ? await renderer.show(first, subject.call, 2)
    : hurried;
  // What took long once takes as long again, and several at once take longer.
  const times = Math.max(1, (normal.elapsed * 4) / renderer.patience);
  // One that is there and shows nothing may still show something when the result comes later.
  const isTelling = ({ name }: Run): boolean =>
    names.includes(name) && (!isBlank(normal) || name === "late" || name === "cancelled");
  const waiting = normal.isInitialized ? others.filter(isTelling) : [];
  const shown: [Run, Sighting][] = [];
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      shown.push([run, await renderer.show(run, subject.call, times)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const sightings = [normal];
  for (const [run, sighting] of shown) {
    // Alone now, and with all the time it may need: a machine can be busy.
    const isDoubtful = isUnexplained(sighting, subject);
    sightings.push(isDoubtful ? await renderer.show(run, subject.call, times * 3) : sighting);
  }
  const findings = [
    ...judgeNormal(normal, subject),
    ...judgeFaults(sightings, subject),
    ...judgeQuality(sightings, subject),
  ];
  return { sightings, findings: findings.map(admit), isShown: !isBlank(normal) };

  /** Whatever follows from a result may follow from what we asked for, or from our invention. */
  function admit(one: Finding): Finding {
    const { isMadeUp, isGuessed, tool, input } = subject.call;
    const isTold = normal.isInitialized && (isMadeUp || isGuessed);
    if (!isTold || !OF_RESULTS.includes(one.code)) return one;
    const why = isMadeUp
      ? "the result was made up"
      : `the tool was called with ${brief(input, 60)}`;
    const remedy = `${one.remedy} (${why}: try real arguments with --call ${shellQuoted(`${tool.name}={…}`)})`;
    return { ...one, remedy };
  }
}

/** Whether a View that has the code for it did not greet its Host, and nothing tells why. */
export function isUnexplained(sighting: Sighting, subject: Subject): boolean {
  const { isInitialized, reports, problem } = sighting;
  if (isInitialized || problem || !does(subject, "handshake")) return false;
  // That text was not run as code explains nothing by itself: libraries ask, and who needs it throws.
  const isExplained = reports.some(
    (report) =>
      report.kind === "error" || (report.kind === "violation" && report.blocked !== "eval"),
  );
  const wasStopped = diagnosticsOf(sighting).some(({ code }) => !/-timeout$|^policy/.test(code));
  return !isExplained && !wasStopped;
}
