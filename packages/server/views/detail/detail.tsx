import { createContext } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import type { DetailConfig, DetailField } from "../../src/templates/detail.ts";
import {
  asText,
  type BodyProps,
  type Fields,
  humanise,
  isRecord,
  kindOf,
  Name,
  own,
  toText,
  useShell,
  Value,
} from "../shell/shell.tsx";
import { columnsOf, RecordsTable } from "./records-table.tsx";

// What one object and one list show at once. The rest is a press away.
const MOST_FIELDS = 60;
const MOST_ITEMS = 20;
const DEEPEST = 8;
const LONG_CHIP = 24;

interface Options {
  excluded: ReadonlySet<string>;
  hideEmpty: boolean;
  expandLevel: number;
}

const OptionsContext = createContext<Options>({
  excluded: new Set(),
  hideEmpty: false,
  expandLevel: 2,
});

/** One object as a card. */
export function Detail({ config, data }: BodyProps<DetailConfig, Fields>) {
  const { exclude, hideEmpty, expandLevel = 2, titleKey, fields } = config;
  const name = titleKey === undefined ? undefined : asText(own(data, titleKey));
  const options = useMemo(
    () => ({
      excluded: new Set([...(exclude ?? []), ...(titleKey === undefined ? [] : [titleKey])]),
      hideEmpty: hideEmpty === true,
      expandLevel,
    }),
    [exclude, hideEmpty, expandLevel, titleKey],
  );
  return (
    <OptionsContext.Provider value={options}>
      <div class="card">
        {name !== undefined && (
          <h2 class="name">
            <Name value={name} length={300} />
          </h2>
        )}
        <Members record={data} fields={fields} depth={1} />
      </div>
    </OptionsContext.Provider>
  );
}

/** The properties of an object: those of one line in a list, the others as sections below it. */
function Members({
  record,
  fields,
  depth,
}: {
  record: Fields;
  fields?: readonly DetailField[] | undefined;
  depth: number;
}) {
  const { excluded, hideEmpty } = useContext(OptionsContext);
  const { label } = useShell();
  const [most, setMost] = useState(MOST_FIELDS);
  const all = (fields ?? Object.keys(record).map((key): DetailField => ({ key }))).filter(
    ({ key }) => !excluded.has(key) && !(hideEmpty && isBlank(own(record, key))),
  );
  const shown = all.slice(0, most);
  const lines = shown.filter(({ key }) => isLine(own(record, key), depth));
  const sections = shown.filter(({ key }) => !isLine(own(record, key), depth));
  return (
    <>
      {lines.length > 0 && (
        <dl>
          {lines.map(({ key, label = humanise(key), format }) => (
            <div key={key}>
              <dt>
                <Name value={label} />
              </dt>
              <dd>
                <Line value={own(record, key)} format={format} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {sections.map(({ key, label = humanise(key) }) => (
        <Section key={key} name={label} depth={depth} value={own(record, key)} />
      ))}
      {all.length > most && (
        <div>
          <button type="button" class="button" onClick={() => setMost(most + MOST_FIELDS)}>
            {label("more")}
          </button>
        </div>
      )}
    </>
  );
}

function Line({ value, format }: { value: unknown; format: DetailField["format"] }) {
  if (!Array.isArray(value)) return <Value value={value} as={format} short={1000} />;
  return (
    <ul class="chips">
      {value.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
        <li key={at} class={toText(item, LONG_CHIP + 1).length > LONG_CHIP ? "long" : undefined}>
          <Value value={item} as={format} />
        </li>
      ))}
    </ul>
  );
}

/** A nested object or list; those that lie deep are closed at first, and not even drawn. */
function Section({ name, depth, value }: { name: string; depth: number; value: unknown }) {
  const { expandLevel } = useContext(OptionsContext);
  const [isOpen, setOpen] = useState(depth <= expandLevel);
  const Heading = `h${Math.min(depth + 1, 6)}` as "h2";
  const body = <Nested value={value} depth={depth + 1} />;
  if (depth <= 1 && expandLevel >= 1) {
    return (
      <section class="section">
        <Heading>
          <Name value={name} />
        </Heading>
        {body}
      </section>
    );
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Heading>
          <Name value={name} />
        </Heading>
      </summary>
      {isOpen && <div class="section">{body}</div>}
    </details>
  );
}

function Nested({ value, depth }: { value: unknown; depth: number }) {
  if (isRecord(value)) return <Members record={value} depth={depth} />;
  return <Items items={value as unknown[]} depth={depth} />;
}

function Items({ items, depth }: { items: readonly unknown[]; depth: number }) {
  const { label, format } = useShell();
  const { excluded } = useContext(OptionsContext);
  const [most, setMost] = useState(MOST_ITEMS);
  const keys = useMemo(() => columnsOf(items, excluded), [items, excluded]);
  const shown = items.slice(0, most);
  return (
    <div class="items">
      {keys && <RecordsTable rows={shown as Fields[]} keys={keys} />}
      {(keys ? [] : shown).map((item, at) =>
        isRecord(item) || Array.isArray(item) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
          <Section key={at} name={nameOf(item, format.number(at + 1))} depth={depth} value={item} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
          <p key={at}>
            <Value value={item} />
          </p>
        ),
      )}
      {items.length > most && (
        <div>
          <button type="button" class="button" onClick={() => setMost(most + MOST_ITEMS)}>
            {label("moreOf", { shown: format.number(most), count: format.number(items.length) })}
          </button>
        </div>
      )}
    </div>
  );
}

/** What an item of a list is called, if it says so itself. */
function nameOf(item: unknown, place: string): string {
  for (const key of ["name", "title", "label", "id"]) {
    const name = asText(own(item, key));
    if (name) return name;
  }
  return place;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return kindOf(value) === "none" || (isRecord(value) && Object.keys(value).length === 0);
}

/** Whether a value fits next to its label: plain values and short lists of them, not objects. */
function isLine(value: unknown, depth: number): boolean {
  if (depth >= DEEPEST) return true;
  if (isRecord(value)) return Object.keys(value).length === 0;
  if (!Array.isArray(value)) return true;
  return value.length <= MOST_ITEMS && !value.some((item) => isRecord(item) || Array.isArray(item));
}
