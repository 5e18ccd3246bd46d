// The blocks of a page as types. `block-options.ts` describes the same for editors and for validation.

import type { ChartConfig } from "./chart.ts";
import type { DataTableConfig } from "./data-table.ts";
import type { DetailConfig } from "./detail.ts";
import type { DiffViewerConfig } from "./diff-viewer.ts";
import type { FormConfig } from "./form.ts";
import type { GalleryConfig } from "./gallery.ts";
import type { KanbanConfig } from "./kanban.ts";
import type { ProgressConfig } from "./progress.ts";
import type { TemplateConfig } from "./template.ts";
import type { ToolAction } from "./tool-action.ts";
import type { TreeViewConfig } from "./tree-view.ts";
import type { ValueFormat } from "./value-format.ts";

/**
 * The data of a block: a JSON Pointer into the tool's result such as `/orders`, or the data itself. Left
 * out, it's the whole result.
 */
export type BlockData = string | number | unknown[] | Record<string, unknown>;

/** Blocks below each other, or in a row that wraps. */
export interface StackBlock {
  type: "stack";
  blocks: PageBlock[];
  direction?: "column" | "row";
}

/** Blocks in columns of equal width; fewer columns if there is less room. */
export interface GridBlock {
  type: "grid";
  blocks: PageBlock[];
  /** At most this many columns, 1 to 6; 2 by default. */
  columns?: number;
}

/** Blocks of which one tab is shown at a time. */
export interface TabsBlock {
  type: "tabs";
  tabs: BlockTab[];
}

export interface BlockTab {
  label: string;
  blocks: PageBlock[];
}

/** Blocks below a heading. */
export interface SectionBlock {
  type: "section";
  title: string;
  description?: string;
  blocks: PageBlock[];
  /** Whether the section can be closed; false by default. */
  collapsible?: boolean;
  /** Whether a section that can be closed is open at first; true by default. */
  open?: boolean;
}

/** A heading, with its text or a pointer to it. */
export interface HeadingBlock {
  type: "heading";
  text?: string;
  data?: BlockData;
  /** 2 by default; the page's title is 1. */
  level?: 2 | 3 | 4;
}

/** Plain text; empty lines divide paragraphs. */
export interface TextBlock {
  type: "text";
  text?: string;
  data?: BlockData;
  tone?: "normal" | "soft";
}

/** A message in a box. */
export interface NoticeBlock {
  type: "notice";
  title: string;
  text?: string;
  tone?: "plain" | "success" | "danger";
}

/** One number with its label. */
export interface MetricBlock {
  type: "metric";
  label: string;
  data: BlockData;
  format?: ValueFormat;
  /** How it changed: a number, or a pointer to one. */
  change?: string | number;
  changeFormat?: ValueFormat;
  /** Which change is good; without it changes have no colour. */
  goodWhen?: "up" | "down";
  /** A sentence below the number. */
  help?: string;
}

/** Buttons. */
export interface ActionsBlock {
  type: "actions";
  actions: BlockAction[];
}

/** A button: it calls a tool, opens a link or sends a message, and does exactly one of them. */
export interface BlockAction extends Omit<ToolAction, "tool"> {
  tool?: string;
  /** An `https:` or `mailto:` address; the Host asks before it opens it. */
  url?: string;
  /** A message that the user sends to the conversation. */
  message?: string;
  /** Whether it is the main button; false by default. */
  primary?: boolean;
}

/** A template as a block: its options, and where its data is. */
export type TemplateBlock<Type extends string, Config> = Omit<Config, "lang"> & {
  type: Type;
  data?: BlockData;
};

/** A part of a page. */
export type PageBlock =
  | StackBlock
  | GridBlock
  | TabsBlock
  | SectionBlock
  | HeadingBlock
  | TextBlock
  | NoticeBlock
  | MetricBlock
  | ActionsBlock
  | TemplateBlock<"table", DataTableConfig>
  // A chart's own `type` is its kind here.
  | (Omit<TemplateBlock<"chart", Omit<ChartConfig, "type">>, never> & {
      kind?: ChartConfig["type"];
    })
  | TemplateBlock<"form", FormConfig>
  | TemplateBlock<"detail", DetailConfig>
  | TemplateBlock<"progress", ProgressConfig>
  | TemplateBlock<"kanban", KanbanConfig>
  | TemplateBlock<"tree", TreeViewConfig>
  | TemplateBlock<"diff", DiffViewerConfig>
  | TemplateBlock<"gallery", GalleryConfig>;

/** An interface of several blocks. */
export interface PageConfig extends TemplateConfig {
  /**
   * The blocks. Left out, they arrive in the result as `structuredContent.blocks`, or in the tool's input
   * while the model still writes it: a server or a model composes the page for each call.
   */
  blocks?: PageBlock[];
  /** The tools that blocks may call if they arrive in a result; none by default. */
  tools?: string[];
  /** Origins of images, as `https://images.example.com`; those of gallery blocks are added. */
  imageDomains?: string[];
}

export type BlockType = PageBlock["type"];

/** The blocks that are templates. */
export type TemplateBlockType =
  | "table"
  | "chart"
  | "form"
  | "detail"
  | "progress"
  | "kanban"
  | "tree"
  | "diff"
  | "gallery";

/** The blocks that are templates, with the names of their views. */
export const TEMPLATE_BLOCKS: Readonly<Record<TemplateBlockType, string>> = {
  table: "data-table",
  chart: "chart",
  form: "form",
  detail: "detail",
  progress: "progress",
  kanban: "kanban",
  tree: "tree-view",
  diff: "diff-viewer",
  gallery: "gallery",
};

/** Limits of a page: hostile or careless documents must not stop the browser. */
export const MOST_BLOCKS = 200;
export const DEEPEST_BLOCK = 8;

/** The blocks directly inside a block. */
export function blocksIn(block: PageBlock): readonly PageBlock[] {
  switch (block.type) {
    case "stack":
    case "grid":
    case "section":
      return block.blocks;
    case "tabs":
      return block.tabs.flatMap(({ blocks }) => blocks);
    default:
      return [];
  }
}

/** The config of a template for one of its blocks. */
export function configOf(block: PageBlock): Record<string, unknown> {
  const { type, data: _, kind, ...config } = block as unknown as Record<string, unknown>;
  return type === "chart" && kind !== undefined ? { ...config, type: kind } : config;
}

/** The views of the templates that blocks use. */
export function viewsOf(blocks: readonly PageBlock[]): Set<string> {
  const views = new Set<string>();
  for (const block of blocks) {
    const view = TEMPLATE_BLOCKS[block.type as TemplateBlockType];
    if (view) views.add(view);
    for (const name of viewsOf(blocksIn(block))) views.add(name);
  }
  return views;
}
