import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Tree } from "../../src/templates/tree-view-data.ts";
import { cut, useShell } from "../shell/shell.tsx";
import type { Selection } from "./selection.ts";
import { findTyped, placeOf, stepOf, type TreeStep, Typing } from "./tree-keys.ts";
import { TreeNode } from "./tree-node.tsx";
import type { TreeRow } from "./tree-rows.ts";
import type { Openness } from "./tree-view.tsx";

// With a mouse, and with a finger.
const ROW_HEIGHTS = [32, 44] as const;
// Of the window, in its styles.
const PADDING = 4;
// Rows beyond the edges, so that scrolling never shows a gap.
const SPARE = 8;

interface WindowProps {
  tree: Tree;
  rows: readonly TreeRow[];
  active: number;
  setActive(index: number): void;
  openness: Openness;
  words: string;
  hint: string;
  frame: RefObject<HTMLDivElement | null>;
  hasIcons: boolean;
  selection: Selection | undefined;
}

/**
 * The rows in sight and a few more. The tree itself holds the focus and names its active node, which is
 * always drawn: a row that is scrolled away takes no focus with it.
 */
export function TreeWindow(props: WindowProps) {
  const { tree, rows, active, setActive, openness, selection } = props;
  const { label, context } = useShell();
  const { frame } = props;
  const rowHeight = useRowHeight();
  const { top, height, width } = useScroll(frame);
  const [typing] = useState(() => new Typing());
  const at = placeOf(rows, active);
  const current = at < 0 ? rows[0]?.index : active;

  // A filter or a closed node may take the active one away.
  useEffect(() => {
    if (current !== undefined && current !== active) setActive(current);
  }, [current, active, setActive]);

  const reveal = (index: number): void => {
    const { current } = frame;
    const place = placeOf(rows, index) * rowHeight;
    if (!current || place < 0) return;
    const end = place + rowHeight + 2 * PADDING - current.clientHeight;
    current.scrollTop = Math.max(Math.min(current.scrollTop, place), end);
  };
  const go = (index: number): void => {
    setActive(index);
    reveal(index);
  };
  const choose = (index: number, isOpen: boolean): void => {
    if (selection) selection.select(index);
    else openness.set([index], !isOpen);
  };
  const take = (step: TreeStep): void => {
    if (!step) return;
    if ("go" in step) go(step.go);
    else if ("open" in step) openness.set(step.open, true);
    else if ("close" in step) openness.set([step.close], false);
    else choose(step.choose, rows[placeOf(rows, step.choose)]?.isOpen === true);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || current === undefined) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const isRtl = document.documentElement.dir === "rtl";
    const place = { tree, rows, active: current, page, isRtl };
    const text = typing.add(event.key, event.timeStamp);
    const found = text === undefined ? undefined : findTyped(text, place);
    const step =
      found === undefined ? text === undefined && stepOf(event.key, place) : { go: found };
    if (text !== undefined || step) event.preventDefault();
    take(step || undefined);
  };

  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.ceil((top + height) / rowHeight) + SPARE;
  const drawn = rows.map((row, place) => ({ row, place })).slice(first, last);
  const lone =
    at >= 0 && (at < first || at >= last) ? [{ row: rows[at] as TreeRow, place: at }] : [];
  const title = context.toolInfo?.tool?.title;
  return (
    <div class={context.displayMode === "fullscreen" ? "window tall" : "window"} ref={frame}>
      <div
        role="tree"
        tabIndex={0}
        aria-label={title ? cut(title, 80) : label("tree")}
        aria-describedby={`${props.hint} ${props.hint}-keys`}
        aria-activedescendant={current === undefined ? undefined : `node-${current}`}
        style={{ blockSize: `${rows.length * rowHeight}px` }}
        onKeyDown={onKeyDown}
      >
        {[...drawn, ...lone].map(({ row, place }) => (
          <TreeNode
            key={row.index}
            item={tree.items[row.index] as Tree["items"][number]}
            row={row}
            offset={place * rowHeight}
            isActive={row.index === current}
            isSelected={selection && selection.selected === row.index}
            isPending={selection?.isPending === true && selection.selected === row.index}
            levels={Math.max(2, Math.floor((width * 0.4) / 18))}
            hasIcon={props.hasIcons}
            words={props.words}
            onToggle={() => {
              setActive(row.index);
              openness.set([row.index], !row.isOpen);
            }}
            onChoose={() => {
              setActive(row.index);
              if (selection || row.hasChildren) choose(row.index, row.isOpen);
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** Fingers need higher rows; which pointer there is may change with the device. */
function useRowHeight(): number {
  const [media] = useState(() => matchMedia("(pointer: coarse)"));
  const [isCoarse, setCoarse] = useState(media.matches);
  useEffect(() => {
    const look = (): void => setCoarse(media.matches);
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [media]);
  return ROW_HEIGHTS[isCoarse ? 1 : 0];
}

/** How far it is scrolled, and how large it is. */
function useScroll(frame: { current: HTMLElement | null }) {
  const [place, setPlace] = useState({ top: 0, height: 480, width: 600 });
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const look = (): void => {
      const { scrollTop: top, clientHeight: height, clientWidth: width } = current;
      setPlace((old) =>
        old.top === top && old.height === height && old.width === width
          ? old
          : { top, height, width },
      );
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, [frame]);
  return place;
}
