// SRV-18: a View has to declare the origins that it loads from, its own CDN and localhost included. A page
// that loads from an undeclared origin is blank in every host, and only its console shows the reason.

import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import { collectOrigins, undeclared } from "./vite/external-origins.ts";
import { scanTags } from "./vite/html-scan.ts";
import type { ScannedScript } from "./vite/script-scan.ts";
import type { Warn } from "./warnings.ts";

// Only calls with the address in them. The build knows more, because it reads the syntax tree.
const CALLS =
  /\b(?:(fetch|WebSocket|EventSource|sendBeacon)\s*\(|(?:import\s*\(|\bfrom|\bimport)\s*)\s*["'`]((?:https?|wss?):\/\/[^"'`\s]+)/g;

/** Warns of each origin that the document loads from and its metadata does not declare. */
export function warnOfOrigins(
  html: string,
  { csp = {} }: McpUiResourceMeta,
  { uri, warn }: { uri: string; warn: Warn },
): void {
  const tags = scanTags(html);
  const scripts = tags.flatMap(({ name, text }) => (name === "script" && text ? [text] : []));
  const found = collectOrigins(tags, scripts.map(callsOf));
  const missing = [
    ...undeclared(found.csp, csp),
    ...found.refused
      .filter(({ url }) => !Object.values(csp).flat().includes(url))
      .map(({ reason }) => reason),
  ];
  if (missing.length === 0) return;
  const message = `${uri} loads from what its csp does not declare, and hosts will block it (SRV-18): ${missing.join("; ")}. Declare it in _meta.ui.csp of the resource, or put it into the page.`;
  warn({ code: "origin-undeclared", about: uri, message });
}

function callsOf(code: string): ScannedScript {
  const urls = [...code.matchAll(CALLS)].map(([, connects, url = ""]) => ({
    url,
    use: connects ? ("connect" as const) : ("import" as const),
  }));
  return { dynamicCode: new Set(), urls, imports: [] };
}
