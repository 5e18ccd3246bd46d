// Explains why a view that was loaded never connected. Its frame can't be inspected from outside, but
// its source can be read, and the addresses it declares can be tested.

import { parseSource } from "@vitrine/sandbox/policy";
import type { Code } from "../check/codes.ts";
import { asRecord } from "../check/json.ts";
import { lintView } from "../check/lint/view-lint.ts";
import { CONNECTS, STARTS } from "../frame/landmarks.ts";
import type { SourcePlace } from "../frame/source-place.ts";
import type { ViewSource } from "../frame/view-source.ts";
import type { BlankReason } from "./page-protocol.ts";

/** The view, and the command that started the session. */
export interface BlankView {
  html: string;
  /** `_meta.ui` of its resource, as the server sent it. */
  meta: unknown;
  resource: string;
  tool: string;
  target: string;
  /** The author's files, if a source map names them. */
  source?: ViewSource;
}

/** Sends any request to an address; rejects if nothing answers. */
export type Reach = (origin: string) => Promise<unknown>;

const MOST_ORIGINS = 8;
const MOST_REASONS = 3;
const LONGEST = 4_000;
// The sandbox has already reported it, with the line to add.
const SAID: readonly Code[] = ["origin-undeclared", "dynamic-code"];

/** Reasons, the most likely first; never empty. */
export async function explainBlank(view: BlankView, reach: Reach = ask): Promise<BlankReason[]> {
  const { html, meta, resource, tool, target, source } = view;
  const unreachable = await unreachableOf(view, reach);
  const { findings } = lintView(html, { place: { resource, tool }, meta: asRecord(meta) });
  const read = findings
    .filter(({ effect, code }) => effect === "blank" && !SAID.includes(code))
    .map(({ code, cause, remedy, place: { line, column = 1 } }) => ({
      code,
      cause,
      remedy,
      ...(line !== undefined && { line }),
      ...placed(line === undefined ? source?.find(STARTS) : source?.at({ line, column })),
    }));
  const reasons = [...unreachable, ...read].slice(0, MOST_REASONS);
  if (reasons.length > 0) return reasons;
  return [
    {
      code: "not-shown",
      cause: `The source of ${resource} doesn't show why: it has the code to connect but didn't reach it, or an error stopped it.`,
      remedy: `Check that the code reaches connect(), or run: vitrine check --tool ${tool} -- ${target}`,
      ...placed(source?.find(CONNECTS, STARTS)),
    },
  ];
}

/** Addresses that the view declares and uses, and that don't answer from here. */
async function unreachableOf(
  { html, meta, resource }: BlankView,
  reach: Reach,
): Promise<BlankReason[]> {
  const csp = asRecord(asRecord(meta).csp);
  const lists: unknown[] = [csp.resourceDomains, csp.connectDomains];
  const declared = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  const origins = [...new Set(declared)].filter(
    (origin): origin is string =>
      typeof origin === "string" &&
      // The view can't have waited for an address that no host grants.
      parseSource(origin).ok &&
      /^https:/.test(origin) &&
      !origin.includes("*") &&
      html.includes(new URL(origin).host),
  );
  const tried = await Promise.all(
    origins.slice(0, MOST_ORIGINS).map(async (origin) => {
      const why = await reach(origin).then(() => undefined, wordsOf);
      return why === undefined
        ? []
        : [
            {
              code: "unreachable" as const,
              cause: `${resource} needs ${origin}, which it declares, but that can't be reached from this machine (${why}), so nothing loads from there.`,
              remedy: `Check that ${new URL(origin).host} answers here, or put the files into the page (vite build with vitrineViews()), so that the view starts without the network.`,
            },
          ];
    }),
  );
  return tried.flat();
}

function placed(place: SourcePlace | undefined): { place?: SourcePlace } {
  return place ? { place } : {};
}

function ask(origin: string): Promise<unknown> {
  return fetch(origin, {
    method: "HEAD",
    redirect: "manual",
    signal: AbortSignal.timeout(LONGEST),
  });
}

function wordsOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return `no answer in ${LONGEST / 1000} s`;
  return cause?.code ?? cause?.message ?? message;
}
