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

// Strict, and all in one function: the View's scripts run in the same global and must find it as if
// they were the first. What is called after them is taken along before, and the listener goes before
// they come. The document is closed in a task of its own, because that runs what waits for its end,
// and what the View's scripts have promised is due before.
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
 * A View's document in the form in which it is held: text in a script, which the browser neither
 * reads as HTML nor loads anything for. It becomes the document when the relay says so, in the same
 * window and under the same headers, so that nothing has to be fetched by then.
 */
export function writeHeldView(html: string, proxy: string): string {
  // A browser that reads bytes would take the mark off; from a script it would be text, and text
  // before the doctype means quirks.
  const text = html.replace(/^\ufeff/, "");
  return `<!doctype html><script>${WAITING}(${writeLiteral(text)}, ${writeLiteral(proxy)})</script>`;
}

/** A string literal that cannot end the script it stands in, nor hide its end. */
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
