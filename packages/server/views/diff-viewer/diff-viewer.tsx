import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffViewerConfig } from "../../src/templates/diff-viewer.ts";
import type { DiffData } from "../../src/templates/diff-viewer-data.ts";
import { type BodyProps, DOWN, Icon, Text, UP, useShell } from "../shell/shell.tsx";
import { compare, type Row, unify } from "./diff-rows.ts";
import { type Mode, Rows } from "./diff-table.tsx";
import { fold } from "./folds.ts";
import { LineLook } from "./line-look.ts";
import { findLanguage } from "./syntax.ts";

// Below this width of the View two columns of code are too narrow to read.
const NARROW = 640;
const FIRST_ROWS = 400;
const MORE_ROWS = 1000;

/** The comparison, with what changes its layout. */
export function DiffViewer({ config, data }: BodyProps<DiffViewerConfig, DiffData>) {
  const { label, format, announce } = useShell();
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow(frame);
  const [chosen, setChosen] = useState<Mode>();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(FIRST_ROWS);
  const mode =
    chosen ?? (isNarrow ? "unified" : config.viewMode === "unified" ? "unified" : "split");
  const comparison = useMemo(() => compare(data), [data]);
  const rows = useMemo(
    () => (mode === "split" ? comparison.rows : unify(comparison.rows)),
    [comparison, mode],
  );
  const titles = {
    left: data.leftTitle ?? config.leftTitle ?? label("original"),
    right: data.rightTitle ?? config.rightTitle ?? label("modified"),
  };
  const look = useMemo(() => {
    const names = [data.language, config.language, data.rightTitle, data.leftTitle];
    const named = [...names, config.rightTitle, config.leftTitle];
    const language =
      config.syntaxHighlight === false ? undefined : findLanguage(named, data.right || data.left);
    return new LineLook(comparison.rows, language);
  }, [comparison, data, config]);
  const items = useMemo(() => fold(rows, opened), [rows, opened]);
  const changes = useMemo(() => firstsOfChanges(rows), [rows]);
  const { added, removed, notes } = comparison;
  const counts = { added: format.number(added), removed: format.number(removed) };
  const hidden = items.length - most;

  const step = useSteps(changes, (at, row) => {
    const place = items.findIndex((item) => "row" in item && item.index === row);
    setMost((most) => Math.max(most, place + MORE_ROWS));
    const count = format.number(changes.length);
    announce(label("change", { at: format.number(at + 1), count }));
  });
  return (
    <div class="diff" ref={frame}>
      <div class="bar">
        <p class="counts" dir="ltr">
          <span class="hidden">{label("counts", counts)}</span>
          <span aria-hidden="true" class="plus">{`+${counts.added}`}</span>{" "}
          <span aria-hidden="true" class="minus">{`−${counts.removed}`}</span>
        </p>
        {changes.length > 1 && (
          <div class="steps">
            <StepButton path={UP} name={label("previousChange")} onClick={() => step(-1)} />
            <StepButton path={DOWN} name={label("nextChange")} onClick={() => step(1)} />
          </div>
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form's. */}
        <div class="modes" role="group" aria-label={label("layout")}>
          {(["split", "unified"] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="mode"
              aria-pressed={mode === one}
              onClick={() => setChosen(one)}
            >
              {label(one)}
            </button>
          ))}
        </div>
      </div>
      {changes.length === 0 && !notes.includes("line-ends") && <p class="note">{label("equal")}</p>}
      {notes.map((note) => (
        <p key={note} class="note">
          {label(note === "line-ends" ? "lineEnds" : note)}
        </p>
      ))}
      <Rows
        mode={mode}
        items={items.slice(0, most)}
        titles={titles}
        look={look}
        hasNumbers={config.showLineNumbers !== false}
        firsts={changes}
        onOpen={(from) => setOpened((opened) => new Set(opened).add(from))}
      />
      {hidden > 0 && (
        <button type="button" class="button" onClick={() => setMost(most + MORE_ROWS)}>
          <Text value={label("moreRows", { count: format.number(hidden) })} />
        </button>
      )}
    </div>
  );
}

function StepButton({ path, name, onClick }: { path: string; name: string; onClick(): void }) {
  return (
    <button type="button" class="button icon" aria-label={name} title={name} onClick={onClick}>
      <Icon path={path} />
    </button>
  );
}

/** Indices of the rows that begin a change. */
function firstsOfChanges(rows: readonly Row[]): number[] {
  return rows.flatMap((row, index) =>
    !row.same && (index === 0 || rows[index - 1]?.same) ? index : [],
  );
}

/** Goes from change to change, around the end; the row takes the focus once it is drawn. */
function useSteps(
  changes: readonly number[],
  onStep: (at: number, row: number) => void,
): (by: number) => void {
  const at = useRef(-1);
  const [target, setTarget] = useState<{ row: number }>();
  // A new object for each step: the same change again is a step, too.
  useEffect(() => {
    const row = target && document.getElementById(`row-${target.row}`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "center" });
  }, [target]);
  return (by) => {
    const { length } = changes;
    at.current = at.current < 0 && by < 0 ? length - 1 : (at.current + by + length) % length;
    const row = changes[at.current];
    if (row === undefined) return;
    onStep(at.current, row);
    setTarget({ row });
  };
}

function useNarrow(frame: { current: HTMLElement | null }): boolean {
  const [isNarrow, setNarrow] = useState(() => innerWidth < NARROW);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    const sizes = new ResizeObserver(() => setNarrow(current.clientWidth < NARROW));
    sizes.observe(current);
    return () => sizes.disconnect();
  }, [frame]);
  return isNarrow;
}
