// What the agent sees inside the view: the outline of its document, and the user's actions. A view can forge
// both, so they are only shown.

import type { AgentReport } from "../../src/frame/frame-agent.ts";

/** The inside of the current view. */
export interface ViewInside {
  /** One element on each line, indented. */
  outline: string;
  /** The newest last. */
  actions: readonly string[];
}

/** The inside of a view that has reported nothing. */
export const NOTHING_INSIDE: ViewInside = { outline: "", actions: [] };

const MOST_ACTIONS = 100;

/** The inside after a report; the same if the report doesn't change it. */
export function insideAfter(inside: ViewInside, report: AgentReport | undefined): ViewInside {
  if (report?.kind === "outline") return { ...inside, outline: report.text };
  if (report?.kind !== "action") return inside;
  const { action, role, name, css, value } = report;
  const element = role && name ? `${role} "${name}"` : css;
  const words = `${action} ${element}${value && `: ${value}`}`.slice(0, 300);
  return { ...inside, actions: [...inside.actions, words].slice(-MOST_ACTIONS) };
}
