// The agents in the views of a session: puts one into each page, and explains what they report.

import { type AgentPage, withAgent } from "../frame/agent-page.ts";
import { explainReport } from "../frame/explain-report.ts";
import { readReport } from "../frame/read-report.ts";
import { placeOfReport } from "../frame/report-place.ts";
import { readViewSource, type ViewSource } from "../frame/view-source.ts";
import type { ReportAnswer } from "./page-protocol.ts";
import { actionOf } from "./recorded-actions.ts";
import type { RecordedAction } from "./recording.ts";

/** The agents of a session. */
export interface ViewAgents {
  /** The page with an agent in it, for the sandbox. */
  prepare(html: string, options: { resource: string; target: string }): string;
  /** The meaning of a report of one of them. */
  explain(message: unknown): Promise<ReportAnswer>;
  /** The author's files behind a page. */
  sourceOf(html: string, resource: string): Promise<ViewSource>;
}

interface Watched {
  page: AgentPage;
  source: Promise<ViewSource>;
}

const KEPT = 8;

/**
 * Keeps the newest pages. `folder` is where the source maps of built views are searched; `onAction` is
 * called with each action of the user inside a view.
 */
export function createViewAgents(
  folder?: string,
  onAction?: (action: RecordedAction) => void,
): ViewAgents {
  const watched = new Map<string, Watched>();
  let count = 0;
  const sourceOf = (html: string, resource: string): Promise<ViewSource> =>
    readViewSource(html, { resource, ...(folder !== undefined && { folder }) });
  return {
    sourceOf,
    prepare: (html, { resource, target }) => {
      const id = String(++count);
      const page = withAgent(html, { target, page: id });
      // Read now: the build may have replaced the map when the first report arrives.
      watched.set(id, { page, source: sourceOf(html, resource) });
      const [oldest] = watched.keys();
      if (watched.size > KEPT && oldest !== undefined) watched.delete(oldest);
      return page.html;
    },
    explain: async (message) => {
      const sent = readReport(message);
      const known = sent && watched.get(sent.page);
      if (!sent || !known) return {};
      const { report } = sent;
      if (report.kind === "action") {
        const action = actionOf(report, Date.now());
        if (action) onAction?.(action);
        return {};
      }
      const source = await known.source;
      if (report.kind === "console") {
        const place = placeOfReport(report, source, known.page.origin);
        const where = place && `${place.file}:${place.line}`;
        return { log: { level: report.level, text: report.text, ...(where && { where }) } };
      }
      const problem = explainReport(report, source, known.page.origin);
      return problem ? { problem } : {};
    },
  };
}
