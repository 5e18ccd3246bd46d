// Libraries ask once whether they may run text as code, and go on without: zod does, and with it every View
// on the official SDK. The browser reports that as it reports a View that cannot do without, so what stands
// at the place decides.

import type { ReportedPlace } from "../stage/prompt-reports.ts";

/** Tells the asking from the need. */
export interface EvalProbes {
  /** A View was registered: this is its page. */
  note(viewId: string, html: string): void;
  /** The browser reported something of a View. */
  hear(place: ReportedPlace): void;
  /** Whether the oldest report of it that was not asked for yet was no more than a library's question. */
  takeProbe(viewId: string): boolean;
}

// A page that is loaded anew a thousand times is not kept a thousand times.
const KEPT = 8;
const NEAR = 160;
const BEFORE = /\btry\s*\{[^{}]*$/;
const AFTER = /^[^{}]*\}\s*catch\b/;

/** Knows the newest Views. */
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
    hear: (place) => {
      if (place.blocked !== "eval" || !pages.has(place.viewId)) return;
      places.set(place.viewId, [...(places.get(place.viewId) ?? []), place].slice(-100));
    },
    takeProbe: (viewId) => {
      const place = places.get(viewId)?.shift();
      return place !== undefined && isGuarded(pages.get(viewId) ?? "", place);
    },
  };
}

/** Whether nothing but a `try` of its own is around a place; by its letters, since to parse a page takes long. */
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
