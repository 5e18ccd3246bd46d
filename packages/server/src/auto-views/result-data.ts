import type { CallToolResult } from "@vitrine/protocol/apps";
import { isRecord } from "../json-schema.ts";
import { type TextData, VIEW_DATA_KEY, type ViewData } from "./result-config.ts";
import { textData } from "./text-data.ts";

const mostBlocks = 100;
// Hosts accept ten mebibytes in total.
const mostCharacters = 8 * 2 ** 20;

/**
 * The result with its text parsed as data, in `_meta`: content and structured content, which a model
 * reads, stay unchanged. The same result if there is nothing to add.
 */
export function withViewData(result: CallToolResult): CallToolResult {
  const { content, structuredContent, _meta, isError } = result;
  if (isError) return result;
  const structured = textData(onlyText(structuredContent) ?? "");
  // A result with structured content is shown by that.
  const blocks = structuredContent === undefined ? blockData(content) : {};
  const data: ViewData = {
    ...(structured && { structured }),
    ...(Object.keys(blocks).length > 0 && { blocks }),
  };
  if (Object.keys(data).length === 0) return result;
  return { ...result, _meta: { ...(isRecord(_meta) ? _meta : {}), [VIEW_DATA_KEY]: data } };
}

/**
 * The result with structured content made from its text, for a template that a rule chose, because
 * templates read nothing else. Only for a tool without an output schema, which it would have to
 * match.
 */
export function withStructuredContent(result: CallToolResult): CallToolResult {
  const { content, structuredContent, isError } = result;
  if (isError || structuredContent !== undefined) return result;
  const [data] = Object.values(blockData(content));
  if (data?.kind !== "json") return result;
  const { value } = data;
  return { ...result, structuredContent: isRecord(value) ? value : { items: value } };
}

function blockData(content: unknown): Record<string, TextData> {
  const blocks: Record<string, TextData> = {};
  const list: unknown[] = Array.isArray(content) ? content : [];
  // A result that would be too large for hosts with the data is left unchanged.
  let room = mostCharacters - list.reduce((sum: number, block) => sum + lengthOf(block), 0);
  for (const [at, block] of list.slice(0, mostBlocks).entries()) {
    const text = isRecord(block) && block.type === "text" ? block.text : undefined;
    if (typeof text !== "string" || text.length > room) continue;
    const data = textData(text);
    if (!data) continue;
    blocks[at] = data;
    room -= text.length;
  }
  return blocks;
}

function lengthOf(block: unknown): number {
  if (!isRecord(block)) return 0;
  const { text, data, blob, resource } = block;
  const texts = [text, data, blob].filter((value) => typeof value === "string");
  return (
    texts.reduce((sum, { length }) => sum + length, 0) +
    (isRecord(resource) ? lengthOf(resource) : 0)
  );
}

/** The text of structured content that only has one text. */
function onlyText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const [only, ...more] = isRecord(value) ? Object.values(value) : [];
  return typeof only === "string" && more.length === 0 ? only : undefined;
}
