// A view as text and as bytes, and whether it is a document at all. Only white space, comments and a
// byte order mark may precede the doctype.
const DOCUMENT = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*<!doctype\s+html\b/i;
const farthest = 4_096;

/** Whether it starts as an HTML5 document (SRV-04). */
export function isHtmlDocument(html: string): boolean {
  return DOCUMENT.test(html.slice(0, farthest));
}

/** Base64 of the UTF-8 bytes (SRV-03). */
export function toBlob(html: string): string {
  const bytes = new TextEncoder().encode(html);
  let binary = "";
  // In parts: a whole view would exceed the limit of arguments of a call.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** The text of a blob; `undefined` if it is not base64 of UTF-8. */
export function fromBlob(blob: string): string | undefined {
  try {
    // Not the text of `atob`, which has a character for each byte.
    const bytes = Uint8Array.from(atob(blob), (byte) => byte.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
