import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { TreeViewConfig } from "../../src/templates/tree-view.ts";
import { pathOf, type Tree } from "../../src/templates/tree-view-data.ts";
import { type BodyProps, Icon, KeyHint, Notice, SEARCH, Text, useShell } from "../shell/shell.tsx";
import { type Selection, useSelection } from "./selection.ts";
import { filterTree, rowsOf } from "./tree-rows.ts";
import { TreeWindow } from "./tree-window.tsx";

// A filter is of use once not all nodes are seen at once.
const WORTH_A_FILTER = 12;
const LONGEST_PATH = 8;

/** The tree; a new one starts without the user's opened and selected nodes. */
export function TreeView(props: BodyProps<TreeViewConfig, Tree>) {
  const generation = useRef({ tree: props.data, number: 0 });
  if (generation.current.tree !== props.data) {
    generation.current = { tree: props.data, number: generation.current.number + 1 };
  }
  return <OneTree key={generation.current.number} {...props} />;
}

function OneTree({ config, data: tree, isPartial }: BodyProps<TreeViewConfig, Tree>) {
  const { label, format, announce } = useShell();
  const [words, setWords] = useState("");
  const [active, setActive] = useState(0);
  const filtered = useMemo(() => filterTree(tree, words), [tree, words]);
  const openness = useOpenness(config.expandLevel ?? 1, tree, filtered?.holds);
  const { isOpen } = openness;
  const rows = useMemo(() => rowsOf(tree, isOpen, filtered), [tree, isOpen, filtered]);
  const selection = useSelection(tree, config.onSelectTool);
  // What the model is still writing is to be looked at.
  const isSelectable = config.selectable === true && !isPartial;
  const hint = useId();
  const frame = useRef<HTMLDivElement>(null);

  const all = format.number(tree.items.length);
  const count = filtered
    ? label("found", { count: format.number(filtered.count), all })
    : label("count", { count: all });
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when a filter changes it.
  useEffect(() => {
    if (words) announce(count);
  }, [count]);

  const isDeep = tree.items.some(({ depth }) => depth > 0);
  return (
    <>
      <div class="tools">
        {(config.filterable ?? tree.items.length >= WORTH_A_FILTER) && (
          <label class="filter">
            <span class="hidden">{label("filter")}</span>
            <Icon path={SEARCH} />
            <input
              class="input"
              type="search"
              placeholder={label("filter")}
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </label>
        )}
        {isDeep && (
          <div class="all">
            <button type="button" class="button plain" onClick={() => openness.setAll(true)}>
              {label("expandAll")}
            </button>
            <button type="button" class="button plain" onClick={() => openness.setAll(false)}>
              {label("collapseAll")}
            </button>
          </div>
        )}
      </div>
      {rows.length > 0 ? (
        <TreeWindow
          {...{ tree, rows, active, setActive, openness, words, hint, frame }}
          hasIcons={config.showIcons !== false}
          selection={isSelectable ? selection : undefined}
        />
      ) : (
        <div class="empty">
          <p>
            <Text value={label("noMatch", { words: words.trim() })} />
          </p>
          <button type="button" class="button" onClick={() => setWords("")}>
            {label("clear")}
          </button>
        </div>
      )}
      <KeyHint id={`${hint}-keys`} text={label("keys")} frame={frame} />
      <div class="foot">
        <Path tree={tree} active={active} id={hint} />
        <span class="count">{tree.isCut ? label("cut", { count: all }) : count}</span>
      </div>
      {isSelectable && <Outcome selection={selection} />}
    </>
  );
}

/** Where the active node is; labels are cut in their rows, and levels are not drawn without end. */
function Path({ tree, active, id }: { tree: Tree; active: number; id: string }) {
  const path = pathOf(tree, active, LONGEST_PATH);
  const isCut = path.length <= (tree.items[active]?.depth ?? 0);
  return (
    <span class="path" id={id}>
      {isCut && "… / "}
      {path.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a path is always rendered as a whole.
        <span key={at}>
          {at > 0 && <span class="faint"> / </span>}
          <Text value={part} short={200} />
        </span>
      ))}
    </span>
  );
}

/** What became of a selection. */
function Outcome({ selection }: { selection: Selection }) {
  const { label } = useShell();
  const { failure, answer, retry } = selection;
  if (failure) {
    const title = label("notSelected", { label: failure.label });
    return (
      <Notice tone="danger" title={title} text={failure.text}>
        <button type="button" class="button again" onClick={retry}>
          {label("retry")}
        </button>
      </Notice>
    );
  }
  return answer ? (
    <p class="raw">
      <Text value={answer} short={2000} />
    </p>
  ) : null;
}

/** The open nodes: by level or by filter at first, then as the user changed them. */
export interface Openness {
  isOpen(index: number): boolean;
  set(indices: readonly number[], open: boolean): void;
  setAll(open: boolean): void;
}

interface ByHand {
  all: boolean | undefined;
  one: ReadonlyMap<number, boolean>;
}

const UNTOUCHED: ByHand = { all: undefined, one: new Map() };

function useOpenness(level: number, tree: Tree, holds: Uint8Array | undefined): Openness {
  const [usual, setUsual] = useState(UNTOUCHED);
  // Whatever is opened or closed among findings ends with the filter that found them.
  const [found, setFound] = useState({ holds, hand: UNTOUCHED });
  const among = found.holds === holds ? found.hand : UNTOUCHED;
  return useMemo(() => {
    const hand = holds ? among : usual;
    const change = (next: ByHand): void =>
      holds ? setFound({ holds, hand: next }) : setUsual(next);
    return {
      isOpen: (index) =>
        hand.one.get(index) ??
        hand.all ??
        (holds ? holds[index] === 1 : (tree.items[index]?.depth ?? 0) < level),
      set: (indices, open) => {
        const one = new Map(hand.one);
        for (const index of indices) one.set(index, open);
        change({ ...hand, one });
      },
      setAll: (all) => change({ all, one: new Map() }),
    };
  }, [usual, among, holds, tree, level]);
}
