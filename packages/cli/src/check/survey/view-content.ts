import { isRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";

/** What `resources/read` gives for a View. */
export interface ViewContent {
  /** The item that a Host would take. */
  content: Json | undefined;
  /** How many items came. */
  items: number;
  html: string | undefined;
  /** Why there is no document. */
  problem?: string;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads a View, as far as there is one. */
export async function readContent(ask: Ask, uri: string): Promise<ViewContent> {
  const nothing = { content: undefined, items: 0, html: undefined };
  let contents: unknown;
  try {
    ({ contents } = await ask("resources/read", { uri }));
  } catch (error) {
    return { ...nothing, problem: `resources/read answers "${wordsOfError(error)}"` };
  }
  const items = Array.isArray(contents) ? contents.filter(isRecord) : [];
  const content = items.find((item) => item.uri === uri) ?? items[0];
  if (!content) return { ...nothing, problem: "resources/read answers without contents" };
  return { content, items: items.length, html: undefined, ...documentOf(content) };
}

/** The HTML of a content item, or what is wrong with it (SRV-03). */
function documentOf({ text, blob }: Json): { html?: string; problem?: string } {
  if (text !== undefined && blob !== undefined) return { problem: "it has both text and blob" };
  if (text !== undefined) {
    if (typeof text !== "string") return { problem: "its text is no string" };
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
