// Chooses a tool's view. If the output schema describes the data, the template made for it; otherwise
// one view that inspects the result itself, because most servers declare nothing, or a text, and send
// tables, trees and differences in it.

import { isVisibleTo, type McpUiResourceMeta, type Tool } from "@vitrine/protocol/apps";
import { contentHash } from "../content-hash.ts";
import { isRecord, type JsonSchema, readSchema, type SchemaNode } from "../json-schema.ts";
import type { DataTableColumn } from "../templates/data-table.ts";
import type { DetailField } from "../templates/detail.ts";
import { type FormField, fieldsFrom } from "../templates/form-fields.ts";
import {
  TEMPLATES,
  type Template,
  type TemplateConfig,
  type TemplateName,
  template,
} from "../templates/index.ts";
import { templatePage } from "../templates/template-page.ts";
import type { ResultConfig } from "./result-config.ts";

/** A view that can be generated at any time; it holds no page. */
export interface ToolView {
  template: TemplateName | "result";
  config: TemplateConfig;
}

// Templates that show more than the table or card of the result view. A board is for moving cards,
// and a locked view may not load images from the web: those need rules.
const AUTOMATIC: readonly TemplateName[] = ["chart", "tree-view", "diff-viewer"];
const goodFit = 0.8;
const longestConfig = 64 * 1024;
const mostColumns = 40;

/** The view for a tool, from its schemas. */
export function chooseView(tool: Tool, again: boolean | undefined): ToolView {
  const schema = isRecord(tool.outputSchema) ? tool.outputSchema : undefined;
  const best = schema && bestFit(schema);
  if (best) return { template: best.templateName, config: bounded(best.configFor(schema), {}) };
  const words = schema ? wordsOf(schema) : {};
  const fields = isRecord(tool.inputSchema) ? fieldsFrom(tool.inputSchema) : [];
  const calls = mayCallAgain(tool, fields, again) ? { again: { tool: tool.name, fields } } : {};
  return { template: "result", config: bounded({ ...words, ...calls }, {}) };
}

function bestFit(schema: JsonSchema): Template | undefined {
  const fits = AUTOMATIC.flatMap((name) => {
    const made = TEMPLATES.get(name);
    return made ? [{ made, fit: made.fit(schema) }] : [];
  });
  const [best] = fits.filter(({ fit }) => fit >= goodFit).sort((a, b) => b.fit - a.fit);
  return best?.made;
}

/** The page of a view. */
export function pageOf({ template: name, config }: ToolView): string {
  return name === "result"
    ? templatePage("result" as TemplateName, config)
    : template(name, config).html();
}

const blank = new Map<string, string>();

/**
 * The version of a view: its program, its config and its declarations. The program is hashed once,
 * because a gateway has thousands of tools.
 */
export function versionOf({ template: name, config }: ToolView, meta: McpUiResourceMeta): string {
  const program = blank.get(name) ?? contentHash(pageOf({ template: name, config: {} }), {});
  blank.set(name, program);
  return contentHash(`${program}${JSON.stringify(config)}`, meta);
}

/** A view's declarations: none, unless a rule's config needs some; a border, because it is a card. */
export function metaOf({ template: name, config }: ToolView): McpUiResourceMeta {
  const declared = name === "result" ? {} : template(name, config).meta;
  return { prefersBorder: true, ...declared };
}

/**
 * Whether the view offers to call the tool again: if there is input to fill in, the view may call it,
 * and it declares that it isn't destructive. That is unverified, so the host still asks.
 */
function mayCallAgain(tool: Tool, fields: readonly FormField[], wanted?: boolean): boolean {
  if (wanted === false || !isVisibleTo(tool, "app")) return false;
  const { readOnlyHint, destructiveHint } = isRecord(tool.annotations) ? tool.annotations : {};
  const isHarmless = readOnlyHint === true || destructiveHint === false;
  return wanted === true || (fields.length > 0 && isHarmless);
}

/** The labels in an output schema, for a view that inspects the result. */
function wordsOf(schema: JsonSchema): ResultConfig {
  const root = readSchema(schema);
  const columns: Record<string, DataTableColumn[]> = {};
  const fields = root.properties().map(({ name, label, node }): DetailField => {
    const list = columnsOf(node.items());
    if (list.length > 0) Object.defineProperty(columns, name, { value: list, enumerable: true });
    return { key: name, label, ...formatOf(node) };
  });
  const own = columnsOf(root.items());
  if (own.length > 0) columns[""] = own;
  return {
    ...(fields.length > 0 && { fields }),
    ...(Object.keys(columns).length > 0 && { columns }),
  };
}

function columnsOf(item: SchemaNode | undefined): DataTableColumn[] {
  const properties = item?.type === "object" ? item.properties() : [];
  return properties
    .slice(0, mostColumns)
    .map(({ name, label, node }) => ({ key: name, label, ...formatOf(node) }));
}

function formatOf({ format }: SchemaNode): { format?: "date" | "datetime" } {
  if (format === "date") return { format };
  return format === "date-time" ? { format: "datetime" } : {};
}

/** An oversized config is left out: the view works without it. */
function bounded<Config extends TemplateConfig>(config: Config, otherwise: Config): Config {
  return JSON.stringify(config).length <= longestConfig ? config : otherwise;
}
