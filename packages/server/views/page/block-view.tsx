import { directionOf } from "@vitrine/view";
import { useContext, useId, useMemo } from "preact/hooks";
import { blockData } from "../../src/templates/json-pointer.ts";
import {
  configOf,
  type PageBlock,
  TEMPLATE_BLOCKS,
  type TemplateBlockType,
} from "../../src/templates/page-blocks.ts";
import type { Block, CommonConfig } from "../shell/block.ts";
import type { Told } from "../shell/connection.ts";
import { Content } from "../shell/content.tsx";
import { createLabels } from "../shell/labels.ts";
import { dataOf } from "../shell/records.ts";
import { ShellContext, useShell } from "../shell/shell-context.ts";
import { Name, Text } from "../shell/text.tsx";
import { Actions } from "./actions.tsx";
import { Grid, Section, Stack, Tabs } from "./layout.tsx";
import { LevelContext, PageContext } from "./page-context.ts";
import { Heading, Message, Metric, Prose } from "./plain-blocks.tsx";

const registered = new Map<string, Block<CommonConfig, unknown>>();

/** Makes a template's block available to pages. */
export function registerBlock(block: Block<never, never> | Block<object, unknown>): void {
  registered.set(block.name, block as unknown as Block<CommonConfig, unknown>);
}

/** Blocks in their order. */
export function BlockList({ blocks, told }: { blocks: readonly PageBlock[]; told: Told }) {
  return (
    <>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place.
        <BlockView key={`${at} ${block.type}`} block={block} told={told} />
      ))}
    </>
  );
}

function BlockView({ block, told }: { block: PageBlock; told: Told }) {
  const draw = (blocks: readonly PageBlock[]) => <BlockList blocks={blocks} told={told} />;
  switch (block.type) {
    case "stack":
      return <Stack block={block} draw={draw} />;
    case "grid":
      return <Grid block={block} draw={draw} />;
    case "tabs":
      return <Tabs block={block} draw={draw} />;
    case "section":
      return <Section block={block} draw={draw} />;
    case "heading":
      return <Heading block={block} told={told} />;
    case "text":
      return <Prose block={block} told={told} />;
    case "notice":
      return <Message block={block} />;
    case "metric":
      return <Metric block={block} told={told} />;
    case "actions":
      return <Actions block={block} isWriting={told.isWriting === true} />;
    default:
      return <TemplateView block={block} told={told} />;
  }
}

type TemplateBlock = Extract<PageBlock, { type: TemplateBlockType }>;

/** A template inside a page: its own words, its own data, its own state. */
function TemplateView({ block, told }: { block: TemplateBlock; told: Told }) {
  const outer = useShell();
  const { labels } = useContext(PageContext);
  const level = useContext(LevelContext);
  const id = useId();
  const template = registered.get(TEMPLATE_BLOCKS[block.type]);
  const config = useMemo(() => configOf(block) as CommonConfig, [block]);
  const shell = useMemo(() => {
    const direction = directionOf(outer.context.locale);
    return { ...outer, label: createLabels([template?.labels, labels, config.labels], direction) };
  }, [outer, template, labels, config]);
  const own = useMemo(() => toldTo(block, told), [block, told]);
  if (!template) return null;
  const { title, description } = config;
  const Tag = `h${level}` as "h2";
  return (
    <ShellContext.Provider value={shell}>
      <section class={`block is-${template.name}`} {...(title && { "aria-labelledby": id })}>
        {title && (
          <div class="head">
            <Tag id={id} class="title">
              <Name value={title} length={200} />
            </Tag>
            {description && (
              <p>
                <Text value={description} short={600} />
              </p>
            )}
          </div>
        )}
        <Content block={template} config={config} told={own} />
      </section>
    </ShellContext.Provider>
  );
}

/** The input of a block: the state of the call, and the part of its data that the block names. */
function toldTo({ data }: TemplateBlock, told: Told): Told {
  if (data === undefined) return told;
  const { result, input, ...rest } = told;
  if (typeof data !== "string") return { stage: "ready", input, result: resultOf(data) };
  const part = blockData(data, result ? dataOf(result) : input);
  return result
    ? { ...rest, input, result: resultOf(part) }
    : { ...rest, input: part as Told["input"] };
}

function resultOf(data: unknown): NonNullable<Told["result"]> {
  return { content: [], structuredContent: data as Record<string, unknown> };
}
