import { useMemo } from "preact/hooks";
import { blockData } from "../../src/templates/json-pointer.ts";
import type { Block, BodyProps } from "../shell/block.ts";
import type { Told } from "../shell/connection.ts";
import { Content } from "../shell/content.tsx";
import { Frame } from "../shell/frame.tsx";
import { dataOf } from "../shell/records.ts";
import { readConfig } from "../shell/run-block.tsx";
import { useShell } from "../shell/shell-context.ts";
import { Notice, Writing } from "../shell/states.tsx";
import { BlockList } from "./block-view.tsx";
import type { PageSetup, ReadDocument, readDocument } from "./document.ts";
import { LABELS } from "./labels.ts";
import { PageContext } from "./page-context.ts";

/** The whole view: the page is a block itself, so it has the states of one. */
export function Page() {
  const setup = useMemo(() => readConfig<PageSetup>(), []);
  const block = useMemo<Block<PageSetup, ReadDocument>>(
    () => ({
      name: "page",
      read: (value) => documentIn(value, setup),
      isEmpty: ({ blocks, problems }) => blocks.length === 0 && problems.length === 0,
      isAlways: Boolean(setup.blocks?.length),
      Body,
    }),
    [setup],
  );
  const about = (told: Told) => documentIn(dataOf(toldOf(told, setup).result) ?? told.input, setup);
  return (
    <Frame name="page" labels={LABELS} config={setup} about={(told) => about(told) ?? setup}>
      {(told) => <Content block={block} config={setup} told={toldOf(told, setup)} />}
    </Frame>
  );
}

let reader: typeof readDocument | undefined;
const read = new WeakMap<object, ReadDocument>();

/** Adds the code that validates documents; a page whose blocks are known doesn't have it. */
export function addReader(read: typeof readDocument): void {
  reader = read;
}

/** The document of a page: its own, or the one in a value. */
function documentIn(value: unknown, setup: PageSetup): ReadDocument | undefined {
  if (setup.blocks) return { ...setup, blocks: setup.blocks, problems: [] };
  if (!reader || !hasBlocks(value)) return undefined;
  let found = read.get(value);
  if (!found) {
    found = reader(value, setup);
    read.set(value, found);
  }
  return found;
}

function hasBlocks(value: unknown): value is object {
  return Array.isArray(blockData("/blocks", value));
}

const answered = new WeakMap<Told, Told>();

/** A tool that is called with a document and answers in words only shows what it was called with. */
function toldOf(told: Told, setup: PageSetup): Told {
  const { stage, result, input } = told;
  if (setup.blocks || stage !== "ready" || hasBlocks(dataOf(result)) || !hasBlocks(input)) {
    return told;
  }
  let made = answered.get(told);
  if (!made) {
    made = {
      ...told,
      result: { content: [], structuredContent: input as Record<string, unknown> },
    };
    answered.set(told, made);
  }
  return made;
}

function Body(props: BodyProps<PageSetup, ReadDocument>) {
  const { config, data, isPartial, isWriting, input, result } = props;
  const { label } = useShell();
  const shared = useMemo(() => ({ labels: config.labels }), [config]);
  const told = useMemo<Told>(
    () => ({
      stage: isPartial ? "partial" : result ? "ready" : "loading",
      input,
      isWriting,
      result,
    }),
    [isPartial, isWriting, input, result],
  );
  const { blocks, problems } = data;
  return (
    <PageContext.Provider value={shared}>
      {isPartial && config.blocks && <Writing />}
      <BlockList blocks={blocks} told={told} />
      {problems.length > 0 && !isWriting && (
        <Notice
          tone="danger"
          title={label("invalid", { count: problems.length })}
          details={problems.join("\n")}
        />
      )}
    </PageContext.Provider>
  );
}
