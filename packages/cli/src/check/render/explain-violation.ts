// Maps a violation of the policy to the line that would have allowed it.

import { parseSource } from "@vitrine/sandbox/policy";
import type { Code } from "../codes.ts";
import { type Effect, type Finding, finding } from "../finding.ts";
import { asRecord } from "../json.ts";
import { declaration } from "../lint/origin-lint.ts";
import type { Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";
import type { WatchReport } from "./watch-script.ts";

type Violation = Extract<WatchReport, { kind: "violation" }>;

const LISTS: Record<string, string> = {
  "connect-src": "connectDomains",
  "frame-src": "frameDomains",
  "child-src": "frameDomains",
  "base-uri": "baseUriDomains",
};
const WHAT: Record<string, string> = {
  "script-src-elem": "a script",
  "script-src": "a script",
  "style-src-elem": "a style sheet",
  "style-src": "a style sheet",
  "img-src": "an image",
  "font-src": "a font",
  "media-src": "audio or video",
  "connect-src": "data",
  "frame-src": "a frame",
  "base-uri": "its <base>",
};

/** The meaning of a violation. */
export function explainViolation(
  violation: Violation,
  { sighting, subject, effect }: { sighting: Sighting; subject: Subject; effect: Effect },
): Finding {
  const { line, column } = violation;
  const at = line > 0 ? { line, column: Math.max(column, 1) } : {};
  const place = { ...subject.place, ...at, run: sighting.run };
  const isTried = effect === "note" && violation.blocked === "eval";
  const [code, cause, remedy] = isTried
    ? triedWords(violation, subject)
    : wordsFor(violation, subject);
  return finding(code, effect, place, { cause, remedy, seen: true });
}

type Words = readonly [code: Code, cause: string, remedy: string];

/** Libraries test once whether it is allowed, and continue without. */
function triedWords({ line, column }: Violation, subject: Subject): Words {
  return [
    "dynamic-code",
    `${nameOf(subject)} tries once to run text as code (line ${line}:${column}), is blocked, and continues without.`,
    "nothing, if a library tests for it (zod does); the console of each host shows the violation",
  ];
}

function wordsFor(violation: Violation, subject: Subject): Words {
  const { directive, blocked, line, column } = violation;
  const name = nameOf(subject);
  if (blocked === "eval" || blocked === "wasm-eval") {
    return [
      "dynamic-code",
      `${name} runs text as code (eval or new Function, line ${line}:${column}), which the policy of every view forbids.`,
      "use a build that doesn't need it (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
    ];
  }
  if (directive === "form-action") {
    return [
      "navigation",
      `${name} submits a form to ${blocked || "another page"}; the policy of views blocks form submission.`,
      'handle the event: form.addEventListener("submit", (event) => { event.preventDefault(); app.callServerTool({ … }) })',
    ];
  }
  const what = WHAT[directive] ?? "something";
  const origin = originOf(blocked);
  if (origin === undefined) {
    return [
      "blocked",
      `${directive} blocked ${what} of ${name}: ${blocked || "inline"}.`,
      "put it into the page itself; a source without a server can't be declared",
    ];
  }
  if (isOwn(origin)) {
    return [
      "relative-file",
      `${name} loads ${what} by a relative path (${pathOf(blocked)}), but a view has no other files.`,
      "build the page into one file (vite build with vitrineViews(), or vite-plugin-singlefile)",
    ];
  }
  return undeclaredWords({ directive, origin, what }, subject);
}

function undeclaredWords(
  { directive, origin, what }: { directive: string; origin: string; what: string },
  subject: Subject,
): Words {
  const name = nameOf(subject);
  const parsed = parseSource(origin);
  if (!parsed.ok) {
    const isLocal = /localhost|127\.|0\.0\.0\.0|\[::1\]/.test(origin);
    return [
      isLocal ? "local-address" : "insecure-address",
      `${name} was blocked from loading ${what} from ${origin}, which no host grants: it ${parsed.reason}`,
      isLocal
        ? "build the page into one file (vite build with vitrineViews()) and serve that; call your own server through its tools: app.callServerTool({ name, arguments })"
        : `use ${origin.replace(/^(http|ws):/, "$1s:")} and declare it in _meta.ui.csp`,
    ];
  }
  const list = LISTS[directive] ?? "resourceDomains";
  const declared: unknown = asRecord(subject.meta.csp)[list];
  const known = Array.isArray(declared) ? declared.filter((one) => typeof one === "string") : [];
  return [
    "origin-undeclared",
    `${name} was blocked from loading ${what} from ${origin} (${directive}), because it doesn't declare it.`,
    `add to the contents of resources/read for ${name}: ${declaration(list, [...new Set([...known, origin])])}`,
  ];
}

/** How much the blocked request affects a view. */
export function effectOf({ directive }: Violation): Effect {
  if (/^script-src|^connect-src|^frame-src|^base-uri|^form-action|^worker-src/.test(directive))
    return "broken";
  return "poor";
}

function originOf(blocked: string): string | undefined {
  const url = URL.parse(blocked);
  return url && /^(?:https?|wss?):$/.test(url.protocol)
    ? `${url.protocol}//${url.host}`
    : undefined;
}

function isOwn(origin: string): boolean {
  return /^http:\/\/[a-z0-9]{32}\.localhost:\d+$/.test(origin);
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}
