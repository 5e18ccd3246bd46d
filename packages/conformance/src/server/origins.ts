// SRV-18: a view must declare the origins that it uses. Only literal addresses in the document are
// found, so finding none proves nothing, but every finding will be blocked.

import { asRecord, type Json } from "../json.ts";
import type { Scenario } from "../scenario.ts";
import type { UiResource } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { judgeViews } from "./every-era.ts";
import { metadataOf } from "./metadata.ts";
import { documentOf } from "./view-document.ts";

export const ORIGIN_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "compares the origins in every view with its csp",
    rules: ["SRV-18"],
    run: async (target) => [
      await judgeViews("SRV-18", target, originFaults, "No view loads from an undeclared origin"),
    ],
  },
];

/** Which element loads what, and the list that must declare it. */
const USES: readonly { list: string; pattern: RegExp }[] = [
  {
    list: "resourceDomains",
    pattern:
      /<(?:script|img|video|audio|source|track|embed)\b[^>]*?\s(?:src|poster)\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi,
  },
  {
    list: "resourceDomains",
    pattern:
      /<link\b(?=[^>]*\brel\s*=\s*["']?(?:stylesheet|preload|modulepreload|icon))[^>]*?\shref\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi,
  },
  {
    list: "resourceDomains",
    pattern: /(?:@import\s+(?:url\()?|\burl\()\s*["']?(https?:\/\/[^"'\s)]+)/g,
  },
  {
    list: "resourceDomains",
    pattern: /(?:\bimport\s*\(?|\bfrom)\s*["'](https?:\/\/[^"'\s]+)["']/g,
  },
  {
    list: "connectDomains",
    pattern:
      /\b(?:fetch|new WebSocket|new EventSource|sendBeacon)\s*\(\s*["'`]((?:https?|wss?):\/\/[^"'`\s$]+)/g,
  },
  {
    list: "frameDomains",
    pattern: /<iframe\b[^>]*?\ssrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi,
  },
];

function originFaults(view: UiResource): string[] {
  const { html } = view.content ? documentOf(view.content) : {};
  if (html === undefined) return [];
  const csp = asRecord(metadataOf(view).csp);
  const found = USES.flatMap(({ list, pattern }) =>
    [...html.matchAll(pattern)].flatMap(([, address = ""]) => {
      const origin = originOf(address);
      return origin && !isDeclared(origin, list, csp)
        ? [`${nameOf(origin)} is not in csp.${list}`]
        : [];
    }),
  );
  return [...new Set(found)];
}

function nameOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

function originOf(address: string): URL | undefined {
  const url = URL.parse(address.startsWith("//") ? `https:${address}` : address);
  // A name without a dot or digits is a placeholder in code, unless it is this machine.
  const isPlace = url && (url.hostname.includes(".") || url.hostname === "localhost");
  return isPlace ? new URL(nameOf(url)) : undefined;
}

function isDeclared(origin: URL, list: string, csp: Json): boolean {
  const sources: unknown[] = Array.isArray(csp[list]) ? csp[list] : [];
  return sources.some((source) => typeof source === "string" && matches(origin, source));
}

/** As a browser compares them, without paths. */
function matches({ protocol, host, hostname, port }: URL, source: string): boolean {
  const [, scheme, name = "", at] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?/i.exec(source) ?? [];
  if (scheme && `${scheme.toLowerCase()}:` !== protocol) return false;
  if (at !== undefined && at !== "*" && at !== port) return false;
  if (at === undefined && host !== hostname) return false;
  return name.startsWith("*.") ? hostname.endsWith(name.slice(1)) : name === hostname;
}
