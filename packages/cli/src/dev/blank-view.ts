// Why a View that was loaded says nothing. Nobody outside can look into its frame; its page's text can be
// read, and whether the addresses it declares can be reached at all can be tried.

import { parseSource } from "@vitrine/sandbox/policy";
import type { Code } from "../check/codes.ts";
import { asRecord } from "../check/json.ts";
import { lintView } from "../check/lint/view-lint.ts";
import type { BlankReason } from "./page-protocol.ts";

/** The View, and what the person typed to get here. */
export interface BlankView {
  html: string;
  /** `_meta.ui` of its resource, as the server sent it. */
  meta: unknown;
  resource: string;
  tool: string;
  target: string;
}

/** Asks an address for anything at all; rejects when there is nobody. */
export type Reach = (origin: string) => Promise<unknown>;

const MOST_ORIGINS = 8;
const MOST_REASONS = 3;
const LONGEST = 4_000;
// The Sandbox has said it already, with the line to add.
const SAID: readonly Code[] = ["origin-undeclared", "dynamic-code"];

/** Reasons, the likeliest first; never none. */
export async function explainBlank(view: BlankView, reach: Reach = ask): Promise<BlankReason[]> {
  const { html, meta, resource, tool, target } = view;
  const unreachable = await unreachableOf(view, reach);
  const { findings } = lintView(html, { place: { resource, tool }, meta: asRecord(meta) });
  const read = findings
    .filter(({ effect, code }) => effect === "blank" && !SAID.includes(code))
    .map(({ code, cause, remedy, place: { line } }) => ({
      code,
      cause,
      remedy,
      ...(line !== undefined && { line }),
    }));
  const reasons = [...unreachable, ...read].slice(0, MOST_REASONS);
  if (reasons.length > 0) return reasons;
  return [
    {
      code: "not-shown",
      cause: `Nothing in the text of ${resource} tells why: it has the code for it and did not get there, or an error stopped it.`,
      remedy: `See the first error in the console of this page's tab, or let it be found: vitrine check --tool ${tool} -- ${target}`,
    },
  ];
}

/** Addresses that the View declares and names, and that do not answer from here. */
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
      // What no Host would grant, the View cannot have waited for.
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
              cause: `${resource} needs ${origin}, which it declares, and that cannot be reached from this machine (${why}): what it loads from there never comes.`,
              remedy: `See that ${new URL(origin).host} answers here, or put what is loaded from it into the page (vite build with vitrineViews()), so that the View starts without the network.`,
            },
          ];
    }),
  );
  return tried.flat();
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
