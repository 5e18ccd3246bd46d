// Compares the addresses that a view uses with those that its resource declares.

import type { McpUiResourceCsp } from "@vitrine/protocol/apps";
import { collectOrigins, type ScannedScript, scanScript, undeclared } from "@vitrine/server/scan";
import { type Effect, type Finding, finding, type Place } from "../finding.ts";
import { asRecord, type Json } from "../json.ts";
import type { ViewDocument } from "./document.ts";
import type { Fact } from "./script-facts.ts";

type List = keyof McpUiResourceCsp;

const WHAT: Record<string, string> = {
  connectDomains: "connects to",
  resourceDomains: "loads from",
  frameDomains: "shows a frame of",
  baseUriDomains: "has its <base> at",
};

/** The line that declares an origin. */
export function declaration(list: string, origins: readonly string[]): string {
  return `_meta: { ui: { csp: { ${list}: ${JSON.stringify(origins)} } } }`;
}

/** Addresses that a view uses without declaring them, and addresses that no host grants. */
export function lintOrigins(
  document: ViewDocument,
  facts: readonly Fact[],
  { place, meta }: { place: Place; meta: Json },
): Finding[] {
  const scripts = document.scripts.flatMap(({ code, tree }) => {
    // Parsed once already.
    const scanned = tree && scanScript(code, () => tree);
    return scanned ? [scanned] : [];
  });
  const imported = facts
    .filter(({ kind, what }) => kind === "import-url" || (kind === "module" && isRemote(what)))
    .map(({ what }) => ({ url: what, use: "import" as const }));
  const extra: ScannedScript = { dynamicCode: new Set(), imports: [], urls: imported };
  const { csp, refused } = collectOrigins(document.elements, [...scripts, extra]);
  const declared = asRecord(meta.csp) as McpUiResourceCsp;
  return [
    ...undeclared(csp, safeLists(declared)).map((words) =>
      missing(words, document, { place, csp, declared }),
    ),
    ...refused.map(({ url, reason }) => unreachable(url, reason, document, place)),
    ...unpinned(document, place),
  ];
}

function missing(
  words: string,
  document: ViewDocument,
  { place, csp, declared }: { place: Place; csp: McpUiResourceCsp; declared: McpUiResourceCsp },
): Finding {
  const [origin = "", list = ""] = words.split(" in ");
  const known = safeLists(declared)[list as List] ?? [];
  const needed = (csp[list as List] ?? []).filter((one) => !known.includes(one));
  const { offset, effect } = firstUse(document, origin, list);
  return finding(
    "origin-undeclared",
    effect,
    { ...place, ...position(document, offset) },
    {
      cause: `${place.resource} ${WHAT[list]} ${origin}, which it doesn't declare, so hosts block it.`,
      remedy: `add to the contents of resources/read for ${place.resource}: ${declaration(list, [...known, ...needed])}`,
    },
  );
}

/** Where an origin is first used, and the effect of blocking it. */
function firstUse(
  document: ViewDocument,
  origin: string,
  list: string,
): { offset: number; effect: Effect } {
  const bare = origin.replace(/^\w+:/, "");
  const element = document.elements.find(({ name, attributes }) =>
    [...attributes].some(([key, value]) => name !== "a" && key !== "class" && value.includes(bare)),
  );
  if (element && list !== "connectDomains") {
    const effects: Record<string, Effect> = { script: "blank", iframe: "broken", base: "broken" };
    const isStyle =
      element.name === "link" && /stylesheet/.test(element.attributes.get("rel") ?? "");
    return {
      offset: element.offset,
      effect: effects[element.name] ?? (isStyle ? "broken" : "poor"),
    };
  }
  const offset = document.html.indexOf(bare);
  const style = document.elements.find(({ name, text }) => name === "style" && text.includes(bare));
  if (style) return { offset: style.textOffset + style.text.indexOf(bare), effect: "poor" };
  return { offset, effect: list === "resourceDomains" ? "blank" : "broken" };
}

function unreachable(url: string, reason: string, document: ViewDocument, place: Place): Finding {
  const { hostname, protocol } = new URL(url);
  const isLocal = /^(?:localhost|127\.|0\.0\.0\.0|\[::1?\]|10\.|192\.168\.)|\.local(?:host)?$/.test(
    hostname,
  );
  const offset = document.html.indexOf(url.replace(/^\w+:/, ""));
  const isScript = document.elements.some(
    ({ name, attributes }) => name === "script" && attributes.get("src")?.startsWith(url),
  );
  const at = { ...place, ...position(document, offset) };
  if (isLocal) {
    return finding("local-address", isScript ? "blank" : "broken", at, {
      cause: `${place.resource} uses ${url}, an address on a developer's own machine: it doesn't exist elsewhere, and no host allows it.`,
      remedy:
        "build the page into one file (vite build with vitrineViews() or vite-plugin-singlefile) and serve that; call your own server through its tools: app.callServerTool({ name, arguments })",
    });
  }
  if (protocol === "http:" || protocol === "ws:") {
    return finding("insecure-address", isScript ? "blank" : "broken", at, {
      cause: `${place.resource} uses ${url} without encryption, which no host allows.`,
      remedy: `use ${url.replace(/^(http|ws):/, "$1s:")} and declare it: ${declaration(protocol === "ws:" ? "connectDomains" : "resourceDomains", [url.replace(/^(http|ws):/, "$1s:")])}`,
    });
  }
  return finding("origin-undeclared", "broken", at, {
    cause: `${place.resource} uses ${url}, which no host grants: it ${reason}`,
    remedy: "use your own public host name, and declare it in _meta.ui.csp",
  });
}

const CDN =
  /(?:cdn\.jsdelivr\.net\/npm|unpkg\.com|esm\.sh|cdn\.skypack\.dev|esm\.run|jspm\.dev)\/((?:@[^/@"'`\s]+\/)?[^/@"'`\s?]+)(@[^/"'`\s?]*)?/g;

/** Scripts without a fixed version. */
function* unpinned(document: ViewDocument, place: Place): Iterable<Finding> {
  const seen = new Set<string>();
  for (const match of document.html.matchAll(CDN)) {
    const [whole, name = "", version = ""] = match;
    // A version that a script inserts counts.
    if (/^@(?:\d+\.\d+\.\d+|\$\{)/.test(version) || seen.has(whole)) continue;
    seen.add(whole);
    yield finding(
      "unpinned",
      "poor",
      { ...place, ...document.at(match.index) },
      {
        cause: `${place.resource} loads ${name}${version || " without a version"} from a CDN: the code in users' views changes with its next release.`,
        remedy: `write a full version (${name}@1.2.3), or better, bundle it into the page`,
      },
    );
  }
}

function position(document: ViewDocument, offset: number): Partial<Place> {
  return offset >= 0 ? document.at(offset) : {};
}

/** The declared lists that are really lists. */
function safeLists(csp: McpUiResourceCsp): McpUiResourceCsp {
  const lists = Object.entries(csp).filter(([, list]) => Array.isArray(list));
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.filter((one: unknown) => typeof one === "string")]),
  );
}

function isRemote(url: string): boolean {
  return /^(?:https?:)?\/\//.test(url);
}
