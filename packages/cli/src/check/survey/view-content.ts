import { documentOf } from "@vitrine/conformance/reading";
import { isRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";

/** The result of `resources/read` for a view. */
export interface ViewContent {
  /** The item that a host would use. */
  content: Json | undefined;
  /** The number of items. */
  items: number;
  html: string | undefined;
  /** Why there is no document. */
  problem?: string;
}

/** Reads a view, if there is one. */
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
  if (!content) return { ...nothing, problem: "resources/read returns no contents" };
  return { content, items: items.length, html: undefined, ...documentOf(content) };
}
