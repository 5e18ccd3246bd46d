import type { Look } from "./look.ts";
import type { RenderEvent } from "./plan.ts";
import type { RunName } from "./runs.ts";
import type { WatchReport } from "./watch-script.ts";

/** A violation of an accessibility rule. */
export interface AxeViolation {
  id: string;
  impact: string;
  help: string;
  count: number;
  /** The first element it is about, as a selector. */
  target: string;
}

/** What one run has shown. */
export interface Sighting {
  run: RunName;
  /** The last stage the View reached, and whether it finished its handshake. */
  stage: string;
  isInitialized: boolean;
  /** Milliseconds until `initialized`, or until we stopped waiting. */
  elapsed: number;
  events: readonly RenderEvent[];
  reports: readonly WatchReport[];
  /** Errors in the console that are none of the above. */
  console: readonly { text: string; line: number; column: number }[];
  /** What was to be seen; nothing if the View was never shown, or is gone. */
  look: Look | undefined;
  /** Different colours of its picture; 1 is a blank page. */
  colours: number | undefined;
  axe: readonly AxeViolation[];
  /** The View's document does not answer at all. */
  problem?: "busy";
}

/** The height that the View last told its Host, if it told one. */
export function toldHeight({ events }: Sighting): number | undefined {
  const size = events.findLast((event) => event.kind === "size" && event.height !== undefined);
  return size?.kind === "size" ? size.height : undefined;
}

/** Pixels below which a frame is no more than a line. */
export const FLAT = 8;

/** Whether anything was to be seen. */
export function isBlank(sighting: Sighting): boolean {
  const { isInitialized, look, colours } = sighting;
  if (!isInitialized || !look) return true;
  if ((toldHeight(sighting) ?? FLAT) < FLAT) return true;
  // A picture of one colour is blank whatever the document says: white text on white.
  if (colours !== undefined) return colours < 2;
  return look.text === "" && look.things === 0;
}

/** The uncaught errors of a run. */
export function errorsOf({ reports }: Sighting): Extract<WatchReport, { kind: "error" }>[] {
  return reports.filter((report) => report.kind === "error");
}

/** What the policy blocked. */
export function violationsOf({ reports }: Sighting): Extract<WatchReport, { kind: "violation" }>[] {
  return reports.filter((report) => report.kind === "violation");
}

/** The Host's words on a run. */
export function diagnosticsOf({
  events,
}: Sighting): Extract<RenderEvent, { kind: "diagnostic" }>[] {
  return events.filter((event) => event.kind === "diagnostic");
}
