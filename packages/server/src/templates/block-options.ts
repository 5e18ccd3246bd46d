import { chart } from "./chart.ts";
import { dataTable } from "./data-table.ts";
import { detail } from "./detail.ts";
import { diffViewer } from "./diff-viewer.ts";
import { form } from "./form.ts";
import { gallery } from "./gallery.ts";
import { kanban } from "./kanban.ts";
import {
  amount,
  constant,
  either,
  flag,
  link,
  list,
  type Option,
  type OptionSchema,
  type Options,
  object,
  objectSchema,
  oneOf,
  reference,
  required,
  text,
  tool,
} from "./option.ts";
import type {
  BlockAction,
  BlockData,
  BlockTab,
  BlockType,
  PageBlock,
  TemplateBlockType,
} from "./page-blocks.ts";
import { progress } from "./progress.ts";
import type { Template, TemplateConfig } from "./template.ts";
import { TOOL_ACTION } from "./tool-action.ts";
import { treeView } from "./tree-view.ts";
import { valueFormat } from "./value-format.ts";

/** The templates behind blocks. Only a template knows its own config, so they have one type here. */
export const BLOCK_TEMPLATES: Readonly<Record<TemplateBlockType, Template<TemplateConfig>>> = {
  table: dataTable,
  chart,
  form,
  detail,
  progress,
  kanban,
  tree: treeView,
  diff: diffViewer,
  gallery,
} as unknown as Record<TemplateBlockType, Template<TemplateConfig>>;

const POINTER: OptionSchema = {
  type: "string",
  pattern: "^(/.*)?$",
  examples: ["/orders"],
  description: "A JSON Pointer into the tool's result.",
};
const DATA: Option<BlockData> & { isRequired?: false } = {
  schema: {
    anyOf: [POINTER, { type: "number" }, { type: "array" }, { type: "object" }],
    description: "A JSON Pointer into the tool's result, or the data itself.",
  },
};
const BLOCKS = required(list(reference<PageBlock>("block"), "The blocks inside."));

type PlainBlock = Exclude<PageBlock, { type: TemplateBlockType }>;

const PLAIN: { [Type in PlainBlock["type"]]: Options<Extract<PlainBlock, { type: Type }>> } = {
  stack: {
    type: constant("stack"),
    blocks: BLOCKS,
    direction: oneOf(["column", "row"], "column by default; a row wraps."),
  },
  grid: {
    type: constant("grid"),
    blocks: BLOCKS,
    columns: amount("At most this many columns; 2 by default.", {
      minimum: 1,
      maximum: 6,
      isWhole: true,
    }),
  },
  tabs: {
    type: constant("tabs"),
    tabs: required(
      list(
        object<BlockTab>({ label: required(text("Its name.")), blocks: BLOCKS }, "A tab."),
        "The tabs in their order.",
      ),
    ),
  },
  section: {
    type: constant("section"),
    title: required(text("The heading.")),
    description: text("A sentence below the heading."),
    blocks: BLOCKS,
    collapsible: flag("Whether the section can be closed; false by default."),
    open: flag("Whether a section that can be closed is open at first; true by default."),
  },
  heading: {
    type: constant("heading"),
    text: text("The heading; or give data."),
    data: DATA,
    level: oneOf([2, 3, 4], "2 by default; the page's title is 1."),
  },
  text: {
    type: constant("text"),
    text: text("Plain text; empty lines divide paragraphs. Or give data."),
    data: DATA,
    tone: oneOf(["normal", "soft"], "normal by default."),
  },
  notice: {
    type: constant("notice"),
    title: required(text("The message.")),
    text: text("More about it."),
    tone: oneOf(["plain", "success", "danger"], "plain by default."),
  },
  metric: {
    type: constant("metric"),
    label: required(text("What the number is.")),
    data: required(DATA),
    format: valueFormat("How the number is written; by default by its kind."),
    change: either(
      { schema: POINTER } as Option<string>,
      amount("A number."),
      "How it changed: a number, or a JSON Pointer to one.",
    ),
    changeFormat: valueFormat("How the change is written."),
    goodWhen: oneOf(["up", "down"], "Which change is good; without it changes have no colour."),
    help: text("A sentence below the number."),
  },
  actions: {
    type: constant("actions"),
    actions: required(
      list(
        object<BlockAction>(
          {
            ...TOOL_ACTION,
            tool: tool("A tool to call."),
            url: link("An address to open."),
            message: text("A message that the user sends to the conversation."),
            primary: flag("Whether it is the main button; false by default."),
          },
          "A button with exactly one of tool, url and message.",
        ),
        "Buttons in their order.",
      ),
    ),
  },
};

/** A template's own options, without what only a whole view has. */
function templateBlock(type: TemplateBlockType): OptionSchema {
  const { properties = {} } = BLOCK_TEMPLATES[type].schema;
  const { lang: _, ...own } = properties;
  // A block has its name in `type`, so a chart has its kind in `kind`.
  const { type: kind, ...rest } = own;
  return {
    type: "object",
    properties: {
      type: { const: type },
      data: DATA.schema,
      ...(type === "chart" && kind ? { kind } : {}),
      ...rest,
    },
    required: ["type"],
    additionalProperties: false,
  };
}

/** The schema of every block by its type. */
export const BLOCK_SCHEMAS: Readonly<Record<BlockType, OptionSchema>> = {
  ...(Object.fromEntries(
    Object.entries(PLAIN).map(([type, options]) => [type, objectSchema(options)]),
  ) as Record<PlainBlock["type"], OptionSchema>),
  ...(Object.fromEntries(
    Object.keys(BLOCK_TEMPLATES).map((type) => [type, templateBlock(type as TemplateBlockType)]),
  ) as Record<TemplateBlockType, OptionSchema>),
};

/** What documents of blocks refer to. */
export const BLOCK_DEFINITIONS: Readonly<Record<string, OptionSchema>> = {
  block: { anyOf: Object.values(BLOCK_SCHEMAS) },
  ...Object.assign({}, ...Object.values(BLOCK_TEMPLATES).map(({ definitions }) => definitions)),
};
