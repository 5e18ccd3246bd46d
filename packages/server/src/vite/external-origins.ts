// The origins that a finished document uses, as a proposal for `_meta.ui.csp` (SRV-18).

import type { McpUiResourceCsp } from "@vitrine/protocol/apps";
import { parseSource } from "@vitrine/sandbox/policy";
import type { ScannedTag } from "./html-scan.ts";
import type { ScannedScript } from "./script-scan.ts";

/** A document's external addresses. */
export interface ExternalOrigins {
  /** Certainly needed, in the form of `_meta.ui.csp`; sorted, without empty lists. */
  csp: McpUiResourceCsp;
  /** Mentioned in a script, perhaps in a message to people: declare those it connects to. */
  mentioned: string[];
  /** Addresses that no host would grant, with the reason. */
  refused: { url: string; reason: string }[];
}

type List = keyof McpUiResourceCsp;

const LISTS: Record<string, Record<string, List>> = {
  img: { src: "resourceDomains", srcset: "resourceDomains" },
  source: { src: "resourceDomains", srcset: "resourceDomains" },
  video: { src: "resourceDomains", poster: "resourceDomains" },
  audio: { src: "resourceDomains" },
  track: { src: "resourceDomains" },
  image: { href: "resourceDomains", "xlink:href": "resourceDomains" },
  input: { src: "resourceDomains" },
  script: { src: "resourceDomains" },
  link: { href: "resourceDomains" },
  iframe: { src: "frameDomains" },
  base: { href: "baseUriDomains" },
};
// Names of vocabularies, which look like addresses but are never requested.
const NAMESPACES = /^https?:\/\/www\.w3\.org$/i;
const IN_STYLES = /(?:url\(\s*["']?|@import\s+["'])((?:https?:)?\/\/[^\s"')]+)/gi;

/** Collects the origins of tags, styles and scripts. */
export function collectOrigins(
  tags: readonly ScannedTag[],
  scripts: readonly ScannedScript[],
): ExternalOrigins {
  const needed = new Map<string, Set<List>>();
  const mentioned = new Set<string>();
  const refused = new Map<string, string>();
  const add = (url: string, list: List | "mentioned"): void => {
    const origin = originOf(url);
    if (!origin || NAMESPACES.test(origin)) return;
    const parsed = parseSource(origin);
    if (!parsed.ok) {
      if (list !== "mentioned") refused.set(origin, parsed.reason);
      return;
    }
    const { text } = parsed.source;
    if (list === "mentioned") mentioned.add(text);
    else needed.set(text, (needed.get(text) ?? new Set()).add(list));
  };
  for (const tag of tags) {
    for (const [url, list] of addressesOf(tag)) add(url, list);
  }
  for (const { url, use } of scripts.flatMap(({ urls }) => urls)) {
    add(url, use === "connect" ? "connectDomains" : use === "import" ? "resourceDomains" : use);
  }
  const csp: McpUiResourceCsp = {};
  for (const [origin, lists] of [...needed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    mentioned.delete(origin);
    for (const list of lists) csp[list] = [...(csp[list] ?? []), origin];
  }
  return {
    csp,
    mentioned: [...mentioned].sort(),
    refused: [...refused].map(([url, reason]) => ({ url, reason })),
  };
}

/** The addresses of `found` that are in no list of `declared` with the same name. */
export function undeclared(found: McpUiResourceCsp, declared: McpUiResourceCsp): string[] {
  return (Object.entries(found) as [List, string[]][]).flatMap(([list, origins]) =>
    origins.filter((origin) => !covers(declared[list] ?? [], origin)).map((o) => `${o} in ${list}`),
  );
}

function covers(declared: readonly string[], origin: string): boolean {
  const { host, protocol } = new URL(origin);
  return declared.some((entry) => {
    const parsed = parseSource(entry);
    if (!parsed.ok || `${parsed.source.scheme}:` !== protocol) return false;
    const { source } = parsed;
    return source.wildcard ? host.endsWith(`.${source.host}`) : source.text === origin;
  });
}

function* addressesOf({ name, attributes, text }: ScannedTag): Iterable<[string, List]> {
  for (const [attribute, list] of Object.entries(LISTS[name] ?? {})) {
    const value = attributes.get(attribute);
    if (value === undefined) continue;
    for (const url of attribute === "srcset" ? value.split(",") : [value]) yield [url.trim(), list];
  }
  const style = name === "style" ? text : attributes.get("style");
  for (const [, url = ""] of (style ?? "").matchAll(IN_STYLES)) yield [url, "resourceDomains"];
}

function originOf(url: string): string | undefined {
  const full = url.startsWith("//") ? `https:${url}` : url;
  if (!/^(?:https?|wss?):\/\//i.test(full) || !URL.canParse(full)) return undefined;
  const { protocol, host } = new URL(full);
  return `${protocol}//${host}`;
}
