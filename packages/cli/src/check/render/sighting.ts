import type { Look } from "./look.ts";
import type { WordFaults } from "./look-words.ts";
import type { RenderEvent } from "./plan.ts";
import type { RunName } from "./runs.ts";
import type { WatchReport } from "./watch-script.ts";

/** A violation of an accessibility rule. */
export interface AxeViolation {
  id: string;
  impact: string;
  help: string;
  count: number;
  /** The first affected element, as a selector. */
  target: string;
}

/** The result of one run. */
export interface Sighting {
  run: RunName;
  /** The last stage that the view reached, and whether it finished its handshake. */
  stage: string;
  isInitialized: boolean;
  /** Milliseconds until `initialized`, or until we stopped waiting. */
  elapsed: number;
  events: readonly RenderEvent[];
  reports: readonly WatchReport[];
  /** Other errors in the console. */
  console: readonly { text: string; line: number; column: number }[];
  /** The visible content; nothing if the view was never shown, or is gone. */
  look: Look | undefined;
  /** The visible content before the result arrived, if the run looked then. */
  before?: Look | undefined;
  /** Unreadable words, if the run measured them. */
  words?: WordFaults | undefined;
  /** Hosts that the view sent requests to. */
  requested: readonly string[];
  /** Number of colours in the screenshot; 1 is a blank page. */
  colours: number | undefined;
  axe: readonly AxeViolation[];
  /** The view's document doesn't respond at all. */
  problem?: "busy";
}

/** The height that the view last reported, if any. */
export function toldHeight({ events }: Sighting): number | undefined {
  const size = events.findLast((event) => event.kind === "size" && event.height !== undefined);
  return size?.kind === "size" ? size.height : undefined;
}

/** A frame with fewer pixels looks like a line. */
export const FLAT = 8;

/** Whether nothing was visible. */
export function isBlank(sighting: Sighting): boolean {
  const { isInitialized, look, colours } = sighting;
  if (!isInitialized || !look) return true;
  if ((toldHeight(sighting) ?? FLAT) < FLAT) return true;
  // A screenshot of one colour is blank whatever the document contains: white text on white.
  if (colours !== undefined) return colours < 2;
  return look.text === "" && look.things === 0;
}

/** The uncaught errors of a run. */
export function errorsOf({ reports }: Sighting): Extract<WatchReport, { kind: "error" }>[] {
  return reports.filter(
    // Our host's limit for calls at once, which a slow machine reaches earlier.
    (report) => report.kind === "error" && !report.message.includes("Too many at once"),
  ) as Extract<WatchReport, { kind: "error" }>[];
}

/** What the policy blocked. */
export function violationsOf({ reports }: Sighting): Extract<WatchReport, { kind: "violation" }>[] {
  return reports.filter((report) => report.kind === "violation");
}

/** The host's diagnostics of a run. */
export function diagnosticsOf({
  events,
}: Sighting): Extract<RenderEvent, { kind: "diagnostic" }>[] {
  return events.filter((event) => event.kind === "diagnostic");
}
