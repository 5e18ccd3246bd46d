import { type ComponentChildren, Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { SteadyRow } from "../steady-rows.ts";

/** A column; the first one is the title of a row. */
export interface Column<T> {
  label: string;
  isNumber?: boolean;
  /** The header is only for screen readers, as above buttons. */
  isBare?: boolean;
  cell(item: T, row: SteadyRow<T>): ComponentChildren;
}

/** More of a row, shown below it when it is asked for. */
export interface RowDetails<T> {
  /** The name of the button, such as "Details of …". */
  label(item: T): string;
  show(item: T): ComponentChildren;
}

interface TableProps<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly SteadyRow<T>[];
  /** The word for a row that the newest list doesn't have. */
  gone?: string;
  details?: RowDetails<T>;
}

/** A table whose rows become cards on a narrow screen. */
export function Table<T>({
  caption,
  columns,
  rows,
  gone = "Ended",
  details,
}: TableProps<T>): JSX.Element {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber, isBare }) => (
            <th key={label} scope="col" class={isNumber ? "number" : undefined}>
              <span class={isBare ? "hidden" : undefined}>{label}</span>
            </th>
          ))}
          {details && (
            <th scope="col">
              <span class="hidden">Details</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Fragment key={row.key}>
            <tr class={row.isGone ? "gone" : undefined}>
              {columns.map((column, index) => (
                <Cell
                  key={column.label}
                  column={column}
                  row={row}
                  isFirst={index === 0}
                  gone={gone}
                />
              ))}
              {details && (
                <td class="bare">
                  <span class="cell">
                    <button
                      type="button"
                      class="small"
                      aria-expanded={open.has(row.key)}
                      aria-label={details.label(row.item)}
                      onClick={() => toggle(row.key)}
                    >
                      Details
                    </button>
                  </span>
                </td>
              )}
            </tr>
            {details && open.has(row.key) && (
              <tr class="details">
                <td colSpan={columns.length + 1}>{details.show(row.item)}</td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function Cell<T>({
  column: { label, isNumber, isBare, cell },
  row,
  isFirst,
  gone,
}: {
  column: Column<T>;
  row: SteadyRow<T>;
  isFirst: boolean;
  gone: string;
}): JSX.Element {
  const content = cell(row.item, row);
  if (isFirst) {
    return (
      <th scope="row">
        {content}
        {row.isGone && <span class="chip quiet">{gone}</span>}
      </th>
    );
  }
  const isEmpty = content === undefined || content === null || content === "" || content === false;
  const kinds = [isNumber && "number", isEmpty && "blank", isBare && "bare"].filter(Boolean);
  return (
    <td class={kinds.join(" ")}>
      {!isBare && (
        <span class="cell-label" aria-hidden="true">
          {label}
        </span>
      )}
      <span class="cell">{content}</span>
    </td>
  );
}

/** Rows of a list that doesn't refresh itself. */
export function stillRows<T>(items: readonly T[], keyOf: (item: T) => string): SteadyRow<T>[] {
  return items.map((item) => ({ key: keyOf(item), item, isGone: false }));
}
