// Some libraries test once whether they may run text as code, and continue without: zod does, and
// with it every view on the official SDK. The browser reports that like code that needs it, so the
// source at the reported location decides.

import type { ReportedPlace } from "../stage/prompt-reports.ts";

/** Tells a library's test from a real need. */
export interface EvalProbes {
  /** A view was registered with this page. */
  note(viewId: string, html: string): void;
  /** The browser reported a violation of a view. */
  addReport(place: ReportedPlace): void;
  /** Whether the oldest report that wasn't queried yet was only a library's test. */
  takeProbe(viewId: string): boolean;
}

// Limits what is kept of a page that is reloaded a thousand times.
const KEPT = 8;
const NEAR = 160;
const BEFORE = /\btry\s*\{[^{}]*$/;
const AFTER = /^[^{}]*\}\s*catch\b/;

/** Keeps the newest views. */
export function createEvalProbes(): EvalProbes {
  const pages = new Map<string, string>();
  const places = new Map<string, ReportedPlace[]>();
  return {
    note: (viewId, html) => {
      pages.set(viewId, html);
      const [oldest] = pages.keys();
      if (pages.size <= KEPT || oldest === undefined) return;
      pages.delete(oldest);
      places.delete(oldest);
    },
    addReport: (place) => {
      if (place.blocked !== "eval" || !pages.has(place.viewId)) return;
      places.set(place.viewId, [...(places.get(place.viewId) ?? []), place].slice(-100));
    },
    takeProbe: (viewId) => {
      const place = places.get(viewId)?.shift();
      return place !== undefined && isGuarded(pages.get(viewId) ?? "", place);
    },
  };
}

/** Whether only a `try` surrounds a location; compared as text, because parsing a page takes long. */
export function isGuarded(
  html: string,
  { line, column }: { line: number; column: number },
): boolean {
  let start = 0;
  for (let at = 1; at < line; at++) {
    start = html.indexOf("\n", start) + 1;
    if (start === 0) return false;
  }
  const offset = start + column - 1;
  return (
    BEFORE.test(html.slice(Math.max(offset - NEAR, 0), offset)) &&
    AFTER.test(html.slice(offset, offset + NEAR))
  );
}
