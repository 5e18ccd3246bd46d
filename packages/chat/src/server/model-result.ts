import { cutText } from "@vitrine/host/model";
import type { CallToolResult, ContentBlock } from "@vitrine/protocol/apps";

/** A piece of a result for the model. */
export type ModelContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };

/** The model's part of a result. */
export interface ModelResult {
  content: ModelContent[];
  isError: boolean;
}

const LONGEST = 200_000;

/**
 * What a model reads of a tool's result: its content. `structuredContent` is for the view and only used
 * if there is no content, `_meta` never. Content for the user alone is left out.
 */
export function modelResult(result: CallToolResult): ModelResult {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const content = blocks.filter(isForModel).map(toModel);
  if (content.length === 0 && result.structuredContent !== undefined) {
    content.push({ type: "text", text: JSON.stringify(result.structuredContent) });
  }
  let room = LONGEST;
  const bounded = content.map((item): ModelContent => {
    if (item.type === "image") return item;
    const text = cutText(item.text, Math.max(0, room));
    room -= text.length;
    return { type: "text", text };
  });
  return { content: bounded, isError: result.isError === true };
}

/** All of it as text, for libraries whose results are text. */
export function modelText(result: CallToolResult): string {
  return modelResult(result)
    .content.map((item) => (item.type === "text" ? item.text : `[image, ${item.mimeType}]`))
    .join("\n");
}

function isForModel({ annotations }: ContentBlock): boolean {
  const { audience } = Object(annotations) as { audience?: unknown };
  return !Array.isArray(audience) || audience.length === 0 || audience.includes("assistant");
}

function toModel(block: ContentBlock): ModelContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "resource": {
      const { uri, text } = block.resource as { uri: string; text?: string };
      return { type: "text", text: text ?? `[file ${uri}]` };
    }
    case "resource_link":
      return { type: "text", text: `[${block.name}: ${block.uri}]` };
    default:
      return { type: "text", text: `[${block.type}]` };
  }
}
