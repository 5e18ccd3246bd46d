import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useOverflow } from "../shell/overflow.ts";
import { DOWN, EXPAND, type Fields, Icon, Name, UP, useShell } from "../shell/shell.tsx";
import { CellValue, nameOfRow } from "./cell.tsx";
import type { Column } from "./columns.ts";
import type { Sort } from "./order.ts";
import { RowActions } from "./row-actions.tsx";
import type { RowCalls } from "./row-calls.tsx";

interface RowsProps {
  rows: readonly Fields[];
  columns: readonly Column[];
  sort: Sort | undefined;
  calls: RowCalls;
  onSort(column: Column | undefined): void;
}

// Below this width, rows are cards; two columns fit all the same.
const NARROW = 480;

/** A table if there is room for one, else cards. */
export function Rows(props: RowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const measure = (): void => {
      // Nothing in a closed tab has a width.
      if (current.clientWidth > 0) setNarrow(current.clientWidth < NARROW);
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(current);
    return () => sizes.disconnect();
  }, []);
  const isCards = isNarrow && props.columns.length > 2;
  return <div ref={place}>{isCards ? <Cards {...props} /> : <Grid {...props} />}</div>;
}

function Grid({ rows, columns, sort, calls, onSort }: RowsProps) {
  const { label } = useShell();
  const { frame, scrolls, hasMore, look } = useOverflow();
  // What scrolls must be reachable by the keyboard, and what is reachable must have a name.
  const reachable = scrolls && {
    tabIndex: 0,
    role: "region" as const,
    "aria-label": label("rows"),
  };
  return (
    <div
      class={`frame ${scrolls ? "scrolls" : ""} ${hasMore ? "more" : ""}`}
      ref={frame}
      onScroll={look}
      {...reachable}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
            {calls.actions.length > 0 && (
              <th scope="col">
                <span class="hidden">{label("actions")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows don't have an id.
            <tr key={at}>
              {columns.map((column, place) => (
                <Cell key={column.key} row={row} column={column} isFirst={place === 0} />
              ))}
              {calls.actions.length > 0 && (
                <td class="menu-cell">
                  <RowActions row={row} name={nameOfRow(row, columns)} calls={calls} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The first cell of a row names it. */
function Cell({ row, column, isFirst }: { row: Fields; column: Column; isFirst: boolean }) {
  const Tag = isFirst ? "th" : "td";
  return (
    <Tag class={column.align} {...(isFirst && { scope: "row" as const })}>
      <div class="cell">
        <CellValue row={row} column={column} />
      </div>
    </Tag>
  );
}

function Heading({
  column,
  sort,
  onSort,
}: Pick<RowsProps, "sort" | "onSort"> & { column: Column }) {
  const { label, sortable, align, key } = column;
  const direction = sort?.key === key ? sort.direction : undefined;
  const name = <Name value={label} length={80} />;
  return (
    <th scope="col" class={align} {...(direction && { "aria-sort": direction })}>
      {sortable ? (
        <button
          type="button"
          class={direction ? "heading sorted" : "heading"}
          onClick={() => onSort(column)}
        >
          {name}
          <Icon path={direction === "descending" ? DOWN : UP} />
        </button>
      ) : (
        <span class="heading">{name}</span>
      )}
    </th>
  );
}

/** Rows as cards, with the first column as title. */
function Cards({ rows, columns, sort, calls, onSort }: RowsProps) {
  const [first, ...others] = columns as [Column, ...Column[]];
  return (
    <div class="narrow">
      {rows.length > 1 && columns.some(({ sortable }) => sortable) && (
        <SortChoice {...{ columns, sort, onSort }} />
      )}
      <ul class="cards">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows don't have an id.
          <li key={at}>
            <div class="card-head">
              <strong>
                <CellValue row={row} column={first} />
              </strong>
              {calls.actions.length > 0 && (
                <RowActions row={row} name={nameOfRow(row, columns)} calls={calls} />
              )}
            </div>
            <dl>
              {others.map((column) => (
                <div key={column.key}>
                  <dt>
                    <Name value={column.label} length={80} />
                  </dt>
                  <dd>
                    <CellValue row={row} column={column} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Cards have no headings to press, so their order is chosen here; the same column again turns it round. */
function SortChoice({ columns, sort, onSort }: Pick<RowsProps, "columns" | "sort" | "onSort">) {
  const { label } = useShell();
  const column = columns.find(({ key }) => key === sort?.key);
  return (
    <div class="sort">
      <label class="select">
        <span class="hidden">{label("sortBy")}</span>
        <select
          class="input"
          value={sort?.key ?? ""}
          onChange={({ currentTarget: { value } }) =>
            onSort(columns.find(({ key }) => key === value))
          }
        >
          <option value="">{label("asReceived")}</option>
          {columns
            .filter(({ sortable }) => sortable)
            .map(({ key, label: name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
        </select>
        <Icon path={EXPAND} />
      </label>
      {sort && column && (
        <button
          type="button"
          class="button icon"
          aria-label={label(sort.direction)}
          onClick={() => onSort(column)}
        >
          <Icon path={sort.direction === "descending" ? DOWN : UP} />
        </button>
      )}
    </div>
  );
}
