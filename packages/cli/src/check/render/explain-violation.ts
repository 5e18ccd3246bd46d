// From a violation of the policy to the line that would have allowed it.

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
  "media-src": "a sound or film",
  "connect-src": "data",
  "frame-src": "a frame",
  "base-uri": "its <base>",
};

/** What a violation means. */
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

/** Libraries ask once whether they may, and go on without. */
function triedWords({ line, column }: Violation, subject: Subject): Words {
  return [
    "dynamic-code",
    `${nameOf(subject)} tries once to run text as code (line ${line}:${column}), is refused, and goes on without.`,
    "nothing, if it is a library that asks (zod does); the console of each Host shows the refusal",
  ];
}

function wordsFor(violation: Violation, subject: Subject): Words {
  const { directive, blocked, line, column } = violation;
  const name = nameOf(subject);
  if (blocked === "eval" || blocked === "wasm-eval") {
    return [
      "dynamic-code",
      `${name} runs text as code (eval or new Function, line ${line}:${column}), which the policy of every View forbids.`,
      "use a build that needs none (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
    ];
  }
  if (directive === "form-action") {
    return [
      "navigation",
      `${name} sends a form to ${blocked || "another page"}; the policy of a View lets no form leave.`,
      'handle it: form.addEventListener("submit", (event) => { event.preventDefault(); app.callServerTool({ … }) })',
    ];
  }
  const what = WHAT[directive] ?? "something";
  const origin = originOf(blocked);
  if (origin === undefined) {
    return [
      "blocked",
      `${name} was kept from ${what} by ${directive}: ${blocked || "inline"}.`,
      "put it into the page itself; what names no server cannot be declared",
    ];
  }
  if (isOwn(origin)) {
    return [
      "relative-file",
      `${name} loads ${what} from beside itself (${pathOf(blocked)}), and a View has no files beside it.`,
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
      `${name} was kept from ${what} of ${origin}, which no Host grants: it ${parsed.reason}`,
      isLocal
        ? "build the page into one file (vite build with vitrineViews()) and serve that; reach your own server by its tools: app.callServerTool({ name, arguments })"
        : `use ${origin.replace(/^(http|ws):/, "$1s:")} and declare it in _meta.ui.csp`,
    ];
  }
  const list = LISTS[directive] ?? "resourceDomains";
  const declared: unknown = asRecord(subject.meta.csp)[list];
  const known = Array.isArray(declared) ? declared.filter((one) => typeof one === "string") : [];
  return [
    "origin-undeclared",
    `${name} was kept from ${what} of ${origin} (${directive}): it does not declare that it needs it.`,
    `add to the contents of resources/read for ${name}: ${declaration(list, [...new Set([...known, origin])])}`,
  ];
}

/** How much a View suffers from what was blocked. */
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
