import type { ComponentChildren } from "preact";
import { useContext, useId, useRef, useState } from "preact/hooks";
import type {
  GridBlock,
  PageBlock,
  SectionBlock,
  StackBlock,
  TabsBlock,
} from "../../src/templates/page-blocks.ts";
import { Name, Text } from "../shell/text.tsx";
import { LevelContext } from "./page-context.ts";

interface LayoutProps<Block> {
  block: Block;
  /** Draws the blocks inside. */
  draw(blocks: readonly PageBlock[]): ComponentChildren;
}

/** Below each other, or in a row that wraps. */
export function Stack({ block: { blocks, direction }, draw }: LayoutProps<StackBlock>) {
  return <div class={direction === "row" ? "stack row" : "stack"}>{draw(blocks)}</div>;
}

/** Columns of equal width, as many as fit. Single numbers need less room than other blocks. */
export function Grid({ block: { blocks, columns = 2 }, draw }: LayoutProps<GridBlock>) {
  const isSmall = blocks.every(({ type }) => type === "metric");
  return (
    <div class={isSmall ? "grid small" : "grid"} style={{ "--columns": String(columns) }}>
      {draw(blocks)}
    </div>
  );
}

/** Blocks below a heading, which may close them. */
export function Section({ block, draw }: LayoutProps<SectionBlock>) {
  const { title, description, collapsible, open = true, blocks } = block;
  const level = useContext(LevelContext);
  const [isOpen, setOpen] = useState(open);
  const id = useId();
  const Tag = `h${level}` as "h2";
  const heading = (
    <Tag id={id} class="title">
      <Name value={title} length={200} />
    </Tag>
  );
  const body = (
    <LevelContext.Provider value={Math.min(level + 1, 6)}>
      {description && (
        <p class="soft">
          <Text value={description} short={600} />
        </p>
      )}
      {draw(blocks)}
    </LevelContext.Provider>
  );
  if (!collapsible) {
    return (
      <section class="stack" aria-labelledby={id}>
        {heading}
        {body}
      </section>
    );
  }
  return (
    <details
      class="folding"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{heading}</summary>
      {isOpen && <div class="stack">{body}</div>}
    </details>
  );
}

/** One panel at a time. A panel is drawn when it is first opened, and then keeps what was typed in it. */
export function Tabs({ block: { tabs }, draw }: LayoutProps<TabsBlock>) {
  const [current, setCurrent] = useState(0);
  const [visited, setVisited] = useState<readonly number[]>([0]);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const open = (at: number): void => {
    setCurrent(at);
    setVisited((before) => (before.includes(at) ? before : [...before, at]));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isRtl = document.documentElement.dir === "rtl";
    const steps: Record<string, number> = {
      ArrowRight: current + (isRtl ? -1 : 1),
      ArrowLeft: current + (isRtl ? 1 : -1),
      Home: 0,
      End: tabs.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const at = (to + tabs.length) % tabs.length;
    open(at);
    list.current?.querySelectorAll("button")[at]?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs" role="tablist" ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ label }, at) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: a tab is its place.
            key={at}
            type="button"
            role="tab"
            id={`${id}-tab-${at}`}
            aria-selected={at === current}
            aria-controls={visited.includes(at) ? `${id}-panel-${at}` : undefined}
            tabIndex={at === current ? 0 : -1}
            onClick={() => open(at)}
          >
            <Name value={label} length={60} />
          </button>
        ))}
      </div>
      {tabs.map(
        ({ blocks }, at) =>
          visited.includes(at) && (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a tab is its place.
              key={at}
              class="stack"
              role="tabpanel"
              id={`${id}-panel-${at}`}
              aria-labelledby={`${id}-tab-${at}`}
              hidden={at !== current}
            >
              {draw(blocks)}
            </div>
          ),
      )}
    </div>
  );
}
