import { checkBlock } from "../../src/templates/block-check.ts";
import type { OptionSchema } from "../../src/templates/option.ts";
import { blocksIn, MOST_BLOCKS, type PageBlock } from "../../src/templates/page-blocks.ts";
import type { CommonConfig } from "../shell/block.ts";
import { own } from "../shell/records.ts";

/** The config of a page: its blocks, or what documents that arrive later are checked against. */
export interface PageSetup extends CommonConfig {
  blocks?: PageBlock[];
  tools?: string[];
  definitions?: Record<string, OptionSchema>;
}

/** A document that was checked. */
export interface ReadDocument {
  title?: string;
  description?: string;
  /** Only valid blocks. */
  blocks: PageBlock[];
  problems: string[];
}

/** Reads a document of unknown origin: blocks that are invalid or too many are left out. */
export function readDocument(source: object, setup: PageSetup): ReadDocument {
  const { definitions = {}, tools = [] } = setup;
  const listed = own(source, "blocks") as unknown[];
  const problems: string[] = [];
  const blocks: PageBlock[] = [];
  let left = MOST_BLOCKS;
  for (const [at, block] of listed.slice(0, MOST_BLOCKS + 1).entries()) {
    const found = checkBlock(block, { definitions, tools }, `blocks[${at}]`);
    if (found.length > 0) {
      problems.push(...found.slice(0, 5));
      continue;
    }
    left -= countOf(block as PageBlock);
    if (left < 0) {
      problems.push(`There are more than ${MOST_BLOCKS} blocks.`);
      break;
    }
    blocks.push(block as PageBlock);
  }
  return {
    ...textsOf(source, setup),
    blocks,
    problems: problems.slice(0, 20),
  };
}

function countOf(block: PageBlock): number {
  return blocksIn(block).reduce((sum, inside) => sum + countOf(inside), 1);
}

function textsOf(
  source: object,
  { title, description }: Pick<PageSetup, "title" | "description">,
): Pick<ReadDocument, "title" | "description"> {
  const [ownTitle, ownDescription] = [own(source, "title"), own(source, "description")];
  const heading = title ?? (typeof ownTitle === "string" ? ownTitle : undefined);
  const text = description ?? (typeof ownDescription === "string" ? ownDescription : undefined);
  return {
    ...(heading !== undefined && { title: heading }),
    ...(text !== undefined && { description: text }),
  };
}
