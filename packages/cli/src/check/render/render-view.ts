// Runs one view through all its runs.

import { shellQuoted } from "@vitrine/protocol/printable";
import type { Code } from "../codes.ts";
import type { Finding } from "../finding.ts";
import { brief } from "../json.ts";
import { withPlaces } from "./author-places.ts";
import { judgeDeclarations } from "./judge-declarations.ts";
import { judgeFaults } from "./judge-faults.ts";
import { judgeLayout } from "./judge-layout.ts";
import { judgeNormal } from "./judge-normal.ts";
import { judgeQuality } from "./judge-quality.ts";
import { judgeStates } from "./judge-states.ts";
import type { Renderer } from "./renderer.ts";
import { RUNS, type Run, type RunName } from "./runs.ts";
import { diagnosticsOf, isBlank, type Sighting } from "./sighting.ts";
import { does, type Subject } from "./subject.ts";

/** The result of rendering a view. */
export interface Rendering {
  sightings: Sighting[];
  findings: Finding[];
  isShown: boolean;
}

const OF_RESULTS: readonly Code[] = ["script-error", "empty", "stuck"];
// Chromium has separate processes for each; more at once only slows them all down.
const AT_ONCE = 3;

/** Renders a view in every way; one that doesn't start is rendered once. */
export async function renderView(
  renderer: Renderer,
  subject: Subject,
  names: readonly RunName[] = RUNS.map(({ name }) => name),
): Promise<Rendering> {
  const [first, ...others] = RUNS as readonly [Run, ...Run[]];
  const show = async (run: Run, times?: number): Promise<Sighting> =>
    withPlaces(await renderer.show(run, subject.call, times), subject.source);
  const hurried = await show(first);
  // Without an answer from its document, either the view or the machine is too busy.
  const isBusy = hurried.isInitialized && !hurried.look;
  const isDoubted = isBusy || isUnexplained(hurried, subject);
  const normal = isDoubted ? await show(first, isBusy ? 3 : 2) : hurried;
  // A slow run is slow again, and several at once are slower.
  const times = Math.max(1, (normal.elapsed * 4) / renderer.patience);
  // A view that starts and shows nothing may still show something when the result arrives later.
  const isTelling = ({ name }: Run): boolean =>
    names.includes(name) && (!isBlank(normal) || name === "late" || name === "cancelled");
  const waiting = normal.isInitialized ? others.filter(isTelling) : [];
  const shown: [Run, Sighting][] = [];
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      shown.push([run, await show(run, times)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const sightings = [normal];
  for (const [run, sighting] of shown) {
    // Alone now, and with all the time it may need: the machine can be busy.
    const isDoubtful = !sighting.isInitialized || isBlank(sighting);
    sightings.push(isDoubtful ? await show(run, times * 3) : sighting);
  }
  // A slow machine looks like a view that waits: the same again, and with more time.
  const suspected = new Set(judgeStates(sightings, subject).map(({ place }) => place.run));
  for (const [at, { run: name }] of sightings.entries()) {
    const run = RUNS.find((one) => one.name === name);
    if (run && suspected.has(name)) sightings[at] = await show(patient(run), times * 3);
  }
  const findings = [
    ...judgeNormal(normal, subject),
    ...judgeFaults(sightings, subject),
    ...judgeStates(sightings, subject),
    ...judgeQuality(sightings, subject),
    ...judgeLayout(sightings, subject),
    ...judgeDeclarations(sightings, subject),
  ];
  return { sightings, findings: findings.map(admit), isShown: !isBlank(normal) };

  /** Every finding about a result may be caused by our arguments or our sample result. */
  function admit(one: Finding): Finding {
    const { isMadeUp, isGuessed, tool, input } = subject.call;
    const isTold = normal.isInitialized && (isMadeUp || isGuessed);
    if (!isTold || !OF_RESULTS.includes(one.code) || one.place.run !== "normal") return one;
    const why = isMadeUp
      ? "the result was generated"
      : `the tool was called with ${brief(input, 60)}`;
    const remedy = `${one.remedy} (${why}: try real arguments with --call ${shellQuoted(`${tool.name}={…}`)})`;
    return { ...one, remedy };
  }
}

/** The same run, with time for a view that leaves a state by itself. */
function patient(run: Run): Run {
  return { ...run, steps: [...run.steps, { do: "wait", ms: 3_000 }] };
}

/** Whether a view that has the code for it did not send `ui/initialize`, without an explanation. */
export function isUnexplained(sighting: Sighting, subject: Subject): boolean {
  const { isInitialized, reports, problem } = sighting;
  if (isInitialized || problem || !does(subject, "handshake")) return false;
  // A blocked eval explains nothing by itself: libraries test for it, and code that needs it throws.
  const isExplained = reports.some(
    (report) =>
      report.kind === "error" || (report.kind === "violation" && report.blocked !== "eval"),
  );
  const wasStopped = diagnosticsOf(sighting).some(({ code }) => !/-timeout$|^policy/.test(code));
  return !isExplained && !wasStopped;
}
