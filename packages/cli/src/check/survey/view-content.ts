import { documentOf } from "@vitrine/conformance/reading";
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
