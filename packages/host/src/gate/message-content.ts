import type { ContentBlock } from "@vitrine/protocol/apps";

/**
 * A block of a message with the fields that the user is shown. Annotations and `_meta` would reach
 * the conversation without the user seeing them.
 */
export function shownBlock(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case "text":
      return pick(block, ["type", "text"]);
    case "resource_link":
      return pick(block, ["type", "uri", "name", "title", "description", "mimeType", "size"]);
    case "resource": {
      const resource = pick(block.resource, ["uri", "mimeType", "text", "blob"] as never[]);
      return { type: block.type, resource };
    }
    default:
      return pick(block, ["type", "data", "mimeType"]);
  }
}

function pick<T extends object>(value: T, keys: readonly (keyof T)[]): T {
  const kept = keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
  return Object.fromEntries(kept);
}
