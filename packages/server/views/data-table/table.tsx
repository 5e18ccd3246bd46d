import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DataTableConfig } from "../../src/templates/data-table.ts";
import {
  type BodyProps,
  type Fields,
  Icon,
  NEXT,
  PREVIOUS,
  SEARCH,
  Text,
  useShell,
} from "../shell/shell.tsx";
import { type Column, columnsOf } from "./columns.ts";
import { orderOf, RowFilter, type Sort } from "./order.ts";
import { CallOutcome, useRowCalls } from "./row-calls.tsx";
import { Rows } from "./rows.tsx";

const PAGE = 25;
// From here on a keystroke waits for the next: filtering takes longer than typing.
const MANY = 5000;
const PAUSE = 150;

/** The table with its filter and its pages. */
export function Table({ config, data: rows, isPartial }: BodyProps<DataTableConfig, Fields[]>) {
  const { format, label, announce } = useShell();
  const [words, setWords] = useState("");
  const [sort, setSort] = useState<Sort | undefined>(() => firstSort(config));
  const [page, setPage] = useState(0);
  const calls = useRowCalls(isPartial ? undefined : config.rowActions);
  const applied = usePause(words, rows.length > MANY ? PAUSE : 0);
  const columns = useMemo(() => columnsOf(config, rows), [config, rows]);
  const filter = useMemo(() => new RowFilter(rows, columns, format), [rows, columns, format]);
  // Sorted before it is filtered: typing must not sort again.
  const order = useMemo(() => orderOf(rows, sort, format.locale), [rows, sort, format]);
  const found = useMemo(() => filter.find(applied, order), [filter, applied, order]);
  const size = Math.max(1, Math.floor(config.pageSize ?? PAGE));
  const pages = Math.max(1, Math.ceil(found.length / size));
  const current = Math.min(page, pages - 1);
  const shown = found.slice(current * size, (current + 1) * size).map((at) => rows[at] as Fields);
  const range = {
    from: format.number(shown.length ? current * size + 1 : 0),
    to: format.number(current * size + shown.length),
    count: format.number(found.length),
    all: format.number(rows.length),
  };
  const where = label(applied.trim() ? "matches" : "range", range);
  const isFilterable = config.filterable ?? rows.length > size / 2;
  // The first rendering of the table isn't announced.
  const isFresh = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced when it changes, whatever changed it.
  useEffect(() => {
    if (!isFresh.current) announce(where);
    isFresh.current = false;
  }, [where]);
  const sortBy = (column: Column | undefined): void => {
    const next = column && nextSort(sort, column.key);
    setSort(next);
    setPage(0);
    announce(
      next
        ? label("sorted", { column: column.label, direction: label(next.direction) })
        : label("unsorted"),
    );
  };
  return (
    <>
      {isFilterable && (
        <div class="tools">
          <label class="filter">
            <span class="hidden">{label("filter")}</span>
            <Icon path={SEARCH} />
            <input
              class="input"
              type="search"
              placeholder={label("filter")}
              value={words}
              onInput={(event) => {
                setWords(event.currentTarget.value);
                setPage(0);
              }}
            />
          </label>
        </div>
      )}
      <CallOutcome calls={calls} />
      {shown.length > 0 ? (
        <Rows {...{ rows: shown, columns, sort, calls }} onSort={sortBy} />
      ) : (
        <div class="empty">
          <p>
            <Text value={label("noMatch", { words: applied.trim() })} />
          </p>
          <button type="button" class="button" onClick={() => setWords("")}>
            {label("clear")}
          </button>
        </div>
      )}
      {(pages > 1 || applied.trim()) && shown.length > 0 && (
        <nav class="pages" aria-label={label("rows")}>
          <span>{where}</span>
          {pages > 1 && (
            <div>
              <Step
                name={label("previous")}
                path={PREVIOUS}
                to={current - 1}
                {...{ pages, setPage }}
              />
              <Step name={label("next")} path={NEXT} to={current + 1} {...{ pages, setPage }} />
            </div>
          )}
        </nav>
      )}
    </>
  );
}

/** A button to another page; where there is none it keeps its place, and the focus. */
function Step({
  name,
  path,
  to,
  pages,
  setPage,
}: {
  name: string;
  path: string;
  to: number;
  pages: number;
  setPage(page: number): void;
}) {
  const isThere = to >= 0 && to < pages;
  return (
    <button
      type="button"
      class="button icon"
      aria-label={name}
      title={name}
      aria-disabled={!isThere}
      onClick={() => isThere && setPage(to)}
    >
      <Icon path={path} turns />
    </button>
  );
}

/** Up, down, and back to how the rows came. */
function nextSort(sort: Sort | undefined, key: string): Sort | undefined {
  if (sort?.key !== key) return { key, direction: "ascending" };
  return sort.direction === "ascending" ? { key, direction: "descending" } : undefined;
}

function firstSort({ sort }: DataTableConfig): Sort | undefined {
  return sort && { key: sort.key, direction: sort.direction ?? "ascending" };
}

/** A value once it has rested. */
function usePause<T>(value: T, milliseconds: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    if (!milliseconds) return undefined;
    const timer = setTimeout(() => setRested(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return milliseconds ? rested : value;
}
