import type { TreeItem } from "../../src/templates/tree-view-data.ts";
import { cut, Icon, NEXT } from "../shell/shell.tsx";
import type { TreeRow } from "./tree-rows.ts";

const FOLDER = "M1.75 4v8.5h12.5V5.25H8L6.5 3.5H1.75z";
const FOLDER_OPEN = "M1.75 12.5v-9H6.5L8 5.25h5.25V7M1.75 12.5L4 7h11l-2.25 5.5z";
const FILE = "M3.5 1.75h5.75l3.25 3.25v9.25h-9zM9.25 1.75V5h3.25";
const DOT = "M8 5.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 1 0 0-5.5";

interface NodeProps {
  item: TreeItem;
  row: TreeRow;
  offset: number;
  isActive: boolean;
  isSelected: boolean | undefined;
  isPending: boolean;
  /** Levels that there is room to indent. */
  levels: number;
  hasIcon: boolean;
  words: string;
  onToggle(): void;
  onChoose(): void;
}

/** One node. The tree handles the keys, because it alone has the focus. */
export function TreeNode(props: NodeProps) {
  const { item, row, offset, isActive, isSelected, isPending, levels, onToggle, onChoose } = props;
  const { hasChildren, isOpen } = row;
  const classes = ["node", isActive && "active", isSelected && "selected", hasChildren && "branch"];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: named by aria-activedescendant of the tree.
    <div
      role="treeitem"
      id={`node-${row.index}`}
      class={classes.filter(Boolean).join(" ")}
      aria-level={item.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.size}
      {...(hasChildren && { "aria-expanded": isOpen })}
      {...(isSelected !== undefined && { "aria-selected": isSelected })}
      {...(isPending && { "aria-busy": true })}
      style={{
        insetBlockStart: `${offset}px`,
        paddingInlineStart: `${4 + 18 * Math.min(item.depth, levels)}px`,
      }}
      onClick={onChoose}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger place to click, not a control. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do the same. */}
      <span
        class={isOpen ? "toggle open" : "toggle"}
        onClick={(event) => {
          if (!hasChildren) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {hasChildren && <Icon path={NEXT} turns />}
      </span>
      {item.depth > levels && (
        <span class="level" aria-hidden="true">
          {item.depth + 1}
        </span>
      )}
      {props.hasIcon && <NodeIcon item={item} isOpen={isOpen} />}
      <span class="label" dir="auto">
        <Found label={cut(item.label, 300)} words={props.words.trim().toLowerCase()} />
      </span>
      {item.meta !== undefined && (
        <span class="meta">
          <bdi>{cut(item.meta, 60)}</bdi>
        </span>
      )}
      {isPending && <span class="spinner" aria-hidden="true" />}
    </div>
  );
}

function NodeIcon({ item, isOpen }: { item: TreeItem; isOpen: boolean }) {
  const { icon, iconChar, isBranch } = item;
  if (iconChar !== undefined) {
    return (
      <span class="sign" aria-hidden="true">
        <bdi>{firstCharacter(iconChar)}</bdi>
      </span>
    );
  }
  const name = icon ?? (isBranch ? "folder" : "file");
  const path = { folder: isOpen ? FOLDER_OPEN : FOLDER, "folder-open": FOLDER_OPEN, file: FILE };
  const known = Object.hasOwn(path, name) ? path[name as keyof typeof path] : DOT;
  return (
    <span class={isBranch ? "sign branch" : "sign"}>
      <Icon path={known} />
    </span>
  );
}

/** An emoji is one character to its reader, and several to a string. */
function firstCharacter(text: string): string {
  const segments = new Intl.Segmenter().segment(text.slice(0, 40))[Symbol.iterator]();
  return segments.next().value?.segment ?? "";
}

/** The label, with what was filtered for marked. */
function Found({ label, words }: { label: string; words: string }) {
  const lower = label.toLowerCase();
  // Some letters change their length with their case; then nothing is marked.
  const at = words && lower.length === label.length ? lower.indexOf(words) : -1;
  if (at < 0) return <bdi>{label}</bdi>;
  return (
    <bdi>
      {label.slice(0, at)}
      <mark>{label.slice(at, at + words.length)}</mark>
      {label.slice(at + words.length)}
    </bdi>
  );
}
