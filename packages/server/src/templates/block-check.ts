// Validates documents of blocks; the same code on the server and in the view.

import type { OptionSchema } from "./option.ts";
import { checkOption } from "./option-check.ts";
import { blocksIn, DEEPEST_BLOCK, MOST_BLOCKS, type PageBlock } from "./page-blocks.ts";

/** What blocks are checked against. */
export interface BlockRules {
  definitions: Readonly<Record<string, OptionSchema>>;
  /** The tools that blocks may call; every tool if left out. */
  tools?: readonly string[] | undefined;
}

/** The problems of a list of blocks, as sentences; none if it's valid. */
export function checkBlocks(blocks: unknown, rules: BlockRules, at = "blocks"): string[] {
  if (!Array.isArray(blocks)) return [`${at} is not a list of blocks.`];
  const problems = blocks.flatMap((block, index) => checkBlock(block, rules, `${at}[${index}]`));
  return problems.length > 0 ? problems : countProblems(blocks as PageBlock[], at);
}

/** The problems of one block and those inside it. */
export function checkBlock(block: unknown, rules: BlockRules, at: string): string[] {
  const { definitions, tools } = rules;
  const scope = { defs: definitions, tools, deepest: DEEPEST_BLOCK };
  const faults = checkOption(block, { $ref: "#/$defs/block" }, at, scope);
  const problems: string[] = [];
  for (const { at: place, problem } of faults) {
    problems.push(`${place} ${problem}.`);
    // A hostile document could have a million problems.
    if (problems.length === 20) return problems;
  }
  return problems.length > 0 ? problems : actionProblems(block as PageBlock, at);
}

function* everyBlock(block: PageBlock): Iterable<PageBlock> {
  yield block;
  for (const inside of blocksIn(block)) yield* everyBlock(inside);
}

function actionProblems(block: PageBlock, at: string): string[] {
  const problems: string[] = [];
  for (const one of everyBlock(block)) {
    if (one.type !== "actions") continue;
    for (const { label, tool, url, message } of one.actions) {
      if ([tool, url, message].filter((way) => way !== undefined).length === 1) continue;
      problems.push(`The action "${label}" in ${at} needs exactly one of tool, url and message.`);
    }
  }
  return problems;
}

function countProblems(blocks: readonly PageBlock[], at: string): string[] {
  let count = 0;
  for (const block of blocks) count += [...everyBlock(block)].length;
  return count > MOST_BLOCKS ? [`${at} has ${count} blocks; the most is ${MOST_BLOCKS}.`] : [];
}
