import { cspHash } from "./digest.ts";
import { RELAY_SCRIPT } from "./relay-script.ts";

/** Hash of the relay's program, as a source of `script-src`. */
export function relayHash(): Promise<string> {
  return cspHash(RELAY_SCRIPT);
}

/**
 * The page around a script, the relay's by default. The script is pinned by its hash and the same
 * for all Views, so the differences are in an attribute.
 */
export function writePage(settings: object, script: string = RELAY_SCRIPT): string {
  const data = escapeAttribute(JSON.stringify(settings));
  return `<!doctype html><html lang="en" data-vitrine="${data}"><head><meta charset="utf-8"><title>App</title></head><body><script>${script}</script></body></html>`;
}

// Strict, and all in one function: the View's scripts run in the same global and must find it
// unchanged. So functions that are called after them are captured before, and the listener is
// removed first. The document is closed in a separate task, because closing runs deferred scripts,
// and the microtasks of the View's scripts have to run before.
const WAITING = `"use strict";((html, proxy) => {
  const mount = ({ source, origin, data }) => {
    if (source !== parent || origin !== proxy || data?.vitrine !== "mount") return;
    removeEventListener("message", mount);
    const { port1, port2 } = new MessageChannel();
    const close = document.close.bind(document);
    port1.onmessage = () => {
      port1.close();
      close();
    };
    port2.postMessage(0);
    document.open();
    document.write(html);
  };
  addEventListener("message", mount);
})`;

/**
 * The document of a held View: text in a script, which the browser neither parses as HTML nor loads
 * anything for. It becomes the document when the relay mounts it, in the same window and under the
 * same headers, without another request.
 */
export function writeHeldView(html: string, proxy: string): string {
  // A browser removes the byte order mark from bytes; from a script it would be text, and text
  // before the doctype means quirks mode.
  const text = html.replace(/^\ufeff/, "");
  return `<!doctype html><script>${WAITING}(${writeLiteral(text)}, ${writeLiteral(proxy)})</script>`;
}

/** A string literal that can neither end the surrounding script nor hide its end. */
function writeLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
