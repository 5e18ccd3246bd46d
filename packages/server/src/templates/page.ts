import { textFallback } from "../text-fallback.ts";
import { checkBlocks } from "./block-check.ts";
import { BLOCK_DEFINITIONS, BLOCK_TEMPLATES } from "./block-options.ts";
import { blockData } from "./json-pointer.ts";
import { list, reference, text, tool } from "./option.ts";
import {
  blocksIn,
  configOf,
  type PageBlock,
  type PageConfig,
  type TemplateBlockType,
} from "./page-blocks.ts";
import { pageOfBlocks } from "./page-document.ts";
import { isRecord } from "./plain-data.ts";
import { defineTemplate, type Template, TemplateError } from "./template.ts";

/** A document of blocks, as a result contains it. Other properties are data for its blocks. */
export interface PageDocument {
  title?: string;
  description?: string;
  blocks: PageBlock[];
  [data: string]: unknown;
}

/** Shows blocks on one page. */
export const page: Template<PageConfig> = defineTemplate<PageConfig>({
  name: "page",
  options: {
    blocks: list(reference<PageBlock>("block"), "The blocks; left out, they come in the result."),
    tools: list(tool("A tool."), "The tools that blocks may call if they come in a result."),
    imageDomains: list(text("An origin."), "Origins of images, as https://images.example.com."),
  },
  definitions: BLOCK_DEFINITIONS,
  html: pageOfBlocks,
  check: ({ blocks }) => {
    const [problem] = blocks ? checkPage({ blocks }) : [];
    if (problem) throw new TemplateError("wrong-option", `In the template "page": ${problem}`);
  },
  // Nothing in a schema says that its data should be several blocks.
  fit: () => 0,
  meta: ({ blocks = [], imageDomains = [] }) => {
    const origins = new Set([...imageDomains, ...blocks.flatMap(imageOrigins)]);
    return origins.size > 0 ? { csp: { resourceDomains: [...origins] } } : undefined;
  },
  describe: (structuredContent, { title, blocks }) => {
    const data: unknown = structuredContent;
    const found = blocks ?? (isRecord(data) ? data.blocks : undefined);
    if (!found || checkPage({ blocks: found }).length > 0) return textFallback(data, { title });
    const heading = title ?? (isRecord(data) && typeof data.title === "string" ? data.title : "");
    const parts = (found as PageBlock[]).map((block) => describeBlock(block, data));
    return [heading && `# ${oneLine(heading)}`, ...parts].filter(Boolean).join("\n\n");
  },
});

/**
 * The problems of a document of blocks, as sentences that a model can act on; none if it's valid. With
 * `tools`, blocks may only call those.
 */
export function checkPage(
  document: unknown,
  { tools }: { tools?: readonly string[] } = {},
): string[] {
  const blocks = isRecord(document) ? document.blocks : undefined;
  return checkBlocks(blocks, { definitions: BLOCK_DEFINITIONS, tools });
}

function imageOrigins(block: PageBlock): string[] {
  const own = block.type === "gallery" ? (block.imageDomains ?? []) : [];
  return [...own, ...blocksIn(block).flatMap(imageOrigins)];
}

/** Text of a block for the model. */
function describeBlock(block: PageBlock, result: unknown): string {
  switch (block.type) {
    case "heading":
      return `## ${oneLine(textIn(block, result))}`;
    case "text":
      return textIn(block, result);
    case "notice":
      return [block.title, block.text].filter(Boolean).join(": ");
    case "metric": {
      const value = blockData(block.data, result);
      return `- ${block.label}: ${oneLine(String(value ?? "–"))}`;
    }
    case "actions":
      return block.actions.map(({ label }) => `[${oneLine(label)}]`).join(" ");
    case "section":
      return [`## ${oneLine(block.title)}`, ...inside(block, result)].join("\n\n");
    case "tabs":
      return block.tabs
        .map(({ label, blocks }) =>
          [`## ${oneLine(label)}`, ...blocks.map((one) => describeBlock(one, result))].join("\n\n"),
        )
        .join("\n\n");
    case "stack":
    case "grid":
      return inside(block, result).join("\n\n");
    default: {
      const data = blockData(block.data, result);
      const template = BLOCK_TEMPLATES[block.type as TemplateBlockType];
      return template(configOf(block)).describe?.(data) ?? "";
    }
  }
}

function inside(block: PageBlock, result: unknown): string[] {
  return blocksIn(block).map((one) => describeBlock(one, result));
}

function textIn({ text, data }: { text?: string; data?: unknown }, result: unknown): string {
  const found = text ?? blockData(data, result);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, 300);
}
