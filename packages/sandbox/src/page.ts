import { cspHash } from "./digest.ts";
import { RELAY_SCRIPT } from "./relay-script.ts";

/** Hash of the relay's program, as a source of `script-src`. */
export function relayHash(): Promise<string> {
  return cspHash(RELAY_SCRIPT);
}

/**
 * The page around a program, the relay's by default. The program is pinned by its hash and the same
 * for all Views, so what differs stands beside it, in an attribute.
 */
export function writePage(settings: object, script: string = RELAY_SCRIPT): string {
  const data = escapeAttribute(JSON.stringify(settings));
  return `<!doctype html><html lang="en" data-vitrine="${data}"><head><meta charset="utf-8"><title>App</title></head><body><script>${script}</script></body></html>`;
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
