// Chooses the line that an author should read: the innermost one of their own code.

import type { AgentReport, ErrorReport } from "./frame-agent.ts";
import { MOUNTS, STARTS } from "./landmarks.ts";
import type { PagePlace, SourcePlace } from "./source-place.ts";
import type { ViewSource } from "./view-source.ts";

/** From a location that the browser reported to one in the page; nothing if it isn't the author's. */
export type ToPage = (place: PagePlace) => PagePlace | undefined;

const CALL = /https?:\/\/[^\s/()]*\.localhost(?::\d+)?\/v\/[^\s()]*?:(\d+):(\d+)/g;
const MOST_CALLS = 40;

/** The locations of a stack in the view's page, innermost first. */
export function callsOf(stack: string): PagePlace[] {
  return [...stack.matchAll(CALL)]
    .slice(0, MOST_CALLS)
    .map(([, line, column]) => ({ line: Number(line), column: Number(column) }));
}

/** Where an error comes from. */
export function placeOfError(
  { stack, message, line, column }: ErrorReport,
  source: ViewSource,
  toPage: ToPage = (place) => place,
): SourcePlace | undefined {
  const calls = [...callsOf(stack), ...(line > 0 ? [{ line, column }] : [])].flatMap(
    (call) => toPage(call) ?? [],
  );
  const own = firstOwn(calls, source);
  if (own) return own;
  // A value that isn't an error has no stack, but the author wrote its text somewhere.
  const words = message.replace(/^(?:Uncaught |[A-Z]\w*Error: )+/, "");
  const written = words.length > 3 ? source.find(literal(words.slice(0, 60))) : undefined;
  if (written) return written;
  // The error of a library, far from the author's code: it draws what is mounted here.
  return source.find(MOUNTS, STARTS) ?? calls.map((call) => source.at(call)).find((place) => place);
}

/** Where a console call comes from. */
export function placeOfReport(
  report: Extract<AgentReport, { kind: "console" }>,
  source: ViewSource,
  toPage: ToPage = (place) => place,
): SourcePlace | undefined {
  const given = callsOf(report.stack);
  const calls = given.flatMap((call) => (call.line > 0 ? (toPage(call) ?? []) : []));
  return firstOwn(calls, source);
}

/** Whether a library logged an error, which means that the author's code did not catch it. */
export function isOfFramework(
  { caller = "" }: ErrorReport,
  source: ViewSource,
  toPage: ToPage = (place) => place,
): boolean {
  const [call] = callsOf(caller).flatMap((one) => toPage(one) ?? []);
  return call !== undefined && source.isPackage(call);
}

function firstOwn(calls: readonly PagePlace[], source: ViewSource): SourcePlace | undefined {
  const own = source.isMapped ? calls.filter((call) => source.isOwn(call)) : calls;
  for (const call of own) {
    const place = source.at(call);
    if (place) return place;
  }
  return undefined;
}

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
}
