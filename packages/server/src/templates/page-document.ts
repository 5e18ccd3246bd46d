import { blockSource, documentSource, pageSource } from "#views";
import { BLOCK_DEFINITIONS } from "./block-options.ts";
import type { OptionSchema } from "./option.ts";
import { type PageConfig, TEMPLATE_BLOCKS, viewsOf } from "./page-blocks.ts";
import { htmlOf } from "./template-page.ts";

/**
 * The document of a page. If its blocks are known, it has the code of those only; if they arrive in a
 * result, it has the code of all blocks and the schema to validate them.
 */
export function pageOfBlocks(config: PageConfig): string {
  const { blocks } = config;
  const views = blocks ? viewsOf(blocks) : new Set<string>(Object.values(TEMPLATE_BLOCKS));
  const parts = [pageSource(), ...[...views].sort().map(blockSource)];
  if (!blocks) parts.push(documentSource());
  const script = [...parts.map((part) => part.script), "page.run()"].join("\n");
  const style = parts.map((part) => part.style).join("\n");
  const extra = blocks ? {} : { definitions: compactDefinitions() };
  return htmlOf({ script, style }, { ...config, ...extra }, "page");
}

let compact: Record<string, OptionSchema> | undefined;

/** The schemas without their descriptions, which only editors show. */
function compactDefinitions(): Record<string, OptionSchema> {
  compact ??= JSON.parse(
    JSON.stringify(BLOCK_DEFINITIONS, (key, value) =>
      key === "description" && typeof value === "string" ? undefined : value,
    ),
  );
  return compact as Record<string, OptionSchema>;
}
