import { useOverflow } from "../shell/overflow.ts";
import {
  type Fields,
  humanise,
  isRecord,
  kindOf,
  Name,
  own,
  useShell,
  Value,
} from "../shell/shell.tsx";

const MOST_COLUMNS = 8;
const SAMPLE = 50;

/** The columns of a list of equal objects; undefined if its items are better shown one by one. */
export function columnsOf(
  items: readonly unknown[],
  excluded: ReadonlySet<string>,
): string[] | undefined {
  const sample = items.slice(0, SAMPLE);
  if (items.length < 2 || !items.every(isRecord)) return undefined;
  const counts = new Map<string, number>();
  for (const key of sample.flatMap((item) => Object.keys(item as Fields))) {
    if (!excluded.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keys = [...counts.keys()];
  const isCommon = [...counts.values()].every((count) => count * 2 >= sample.length);
  const isFlat = items.every((item) => keys.every((key) => isPlain(own(item, key))));
  return keys.length > 0 && keys.length <= MOST_COLUMNS && isCommon && isFlat ? keys : undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** Equal objects as one table; on a phone each is a card, with its first value as the title. */
export function RecordsTable({ rows, keys }: { rows: readonly Fields[]; keys: readonly string[] }) {
  const { label } = useShell();
  const { frame, scrolls } = useOverflow();
  const numeric = new Set(
    keys.filter((key) =>
      rows.every((row) => ["number", "none"].includes(kindOf(own(row, key) ?? null))),
    ),
  );
  const reachable = scrolls && {
    tabIndex: 0,
    role: "region" as const,
    "aria-label": label("table"),
  };
  return (
    <div class="records" ref={frame} {...reachable}>
      <table>
        <thead>
          <tr>
            {keys.map((key) => (
              <th key={key} scope="col" class={numeric.has(key) ? "number" : undefined}>
                <Name value={humanise(key)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
            <tr key={at}>
              {keys.map((key) => (
                <td
                  key={key}
                  class={numeric.has(key) ? "number" : undefined}
                  data-label={humanise(key)}
                >
                  <Value value={own(row, key)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
