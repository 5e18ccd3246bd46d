import type { Json } from "../json.ts";

// Only white space, comments and a byte order mark may precede the doctype.
const DOCUMENT = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*<!doctype\s+html\b/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function isHtmlDocument(html: string): boolean {
  return DOCUMENT.test(html.slice(0, 4_096));
}

/** The HTML of a content item, or its problem (SRV-03). */
export function documentOf({ text, blob }: Json): { html?: string; problem?: string } {
  if (text !== undefined && blob !== undefined) return { problem: "it has both text and blob" };
  if (text !== undefined) {
    if (typeof text !== "string") return { problem: "its text is not a string" };
    return text.trim() === "" ? { problem: "its text is empty" } : { html: text };
  }
  if (typeof blob !== "string") return { problem: "it has neither text nor blob" };
  const base64 = blob.replace(/\s+/g, "");
  if (!BASE64.test(base64) || base64.length === 0) return { problem: "its blob is not base64" };
  try {
    const bytes = Buffer.from(base64, "base64");
    return { html: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "its blob is not UTF-8" };
  }
}
