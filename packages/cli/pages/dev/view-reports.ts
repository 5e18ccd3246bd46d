// Receives the reports of the agent in the view. The view can send the same messages, and any number
// of them: they are text, so many for each view, and nothing here acts on them.

import { AGENT_MARK, MOST_ACTIONS, MOST_REPORTS } from "../../src/frame/frame-agent.ts";

/** Callbacks. */
export interface ViewReportEvents {
  /** A document was loaded that hasn't reported before; older ones aren't read any more. */
  onView(): void;
  onReport(message: string): void;
}

// The agent's own limits for all sorts.
const MOST = 3 * MOST_REPORTS + MOST_ACTIONS;
const LONGEST = 32_000;

/** Reads messages of views. Returns a function that stops it. */
export function watchReports(page: Window, { onView, onReport }: ViewReportEvents): () => void {
  const seen = new WeakSet<object>();
  let current: unknown;
  let left = 0;
  const listen = ({ data, source }: MessageEvent): void => {
    if (typeof data !== "string" || !data.startsWith(AGENT_MARK)) return;
    if (!source || !isView(source as Window, page)) return;
    if (!seen.has(source)) {
      seen.add(source);
      current = source;
      left = MOST;
      onView();
    }
    if (source !== current || data.length > LONGEST || left-- < 1) return;
    onReport(data);
  };
  page.addEventListener("message", listen);
  return () => page.removeEventListener("message", listen);
}

/** A view's frame is in the sandbox's, and that is in the page; its own frames are deeper. */
function isView(source: Window, page: Window): boolean {
  return source.parent !== page && source !== page && source.parent.parent === page;
}
