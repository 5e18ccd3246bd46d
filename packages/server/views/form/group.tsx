import type { ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import { CROSS, DOWN, Icon, UP, useShell } from "../shell/shell.tsx";
import { ChecksContext, type FieldProps } from "./field-props.ts";
import { entriesIn, type Held, type HeldEntry, newEntry } from "./field-values.ts";

const MOST_ENTRIES = 50;

/** Fields that repeat: entries are added, removed and moved. */
export function Group({
  field,
  id,
  held,
  onChange,
  draw,
}: FieldProps & { draw(props: FieldProps): ComponentChildren }) {
  const { label, announce } = useShell();
  const { problems, recheck } = useContext(ChecksContext);
  const list = useRef<HTMLOListElement>(null);
  const { fields = [], maxItems = MOST_ENTRIES, itemLabel = label("entry") } = field;
  const entries = entriesIn(held);
  const nameOf = (at: number): string => `${itemLabel} ${at + 1}`;
  const focusOn = (at: number): void => {
    requestAnimationFrame(() => {
      const entry = list.current?.children[at] ?? list.current?.parentElement;
      entry?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
    });
  };
  const move = (from: number, to: number): void => {
    const moved = [...entries];
    moved.splice(to, 0, ...moved.splice(from, 1));
    onChange(moved);
    announce(label("movedEntry", { entry: nameOf(from), at: to + 1 }));
  };
  const remove = (at: number): void => {
    onChange(entries.filter((_, place) => place !== at));
    announce(label("removedEntry", { entry: nameOf(at) }));
    focusOn(Math.max(0, at - 1));
  };
  const change = (at: number, name: string, value: Held): void =>
    onChange(
      entries.map((entry, place) =>
        place === at ? { ...entry, held: new Map(entry.held).set(name, value) } : entry,
      ),
    );
  return (
    <>
      <ol class="entries" ref={list}>
        {entries.map((entry, at) => (
          <li key={entry.key}>
            <div class="entry-head">
              <strong>{nameOf(at)}</strong>
              <Tool
                name={label("moveUp", { entry: nameOf(at) })}
                path={UP}
                isOff={at === 0}
                onPress={() => move(at, at - 1)}
              />
              <Tool
                name={label("moveDown", { entry: nameOf(at) })}
                path={DOWN}
                isOff={at === entries.length - 1}
                onPress={() => move(at, at + 1)}
              />
              <Tool
                name={label("removeEntry", { entry: nameOf(at) })}
                path={CROSS}
                onPress={() => remove(at)}
              />
            </div>
            {fields.map((inner, place) => {
              const innerId = idInGroup(id, entry, place);
              return (
                <div key={inner.name}>
                  {draw({
                    field: inner,
                    id: innerId,
                    held: entry.held.get(inner.name),
                    problem: problems.get(innerId),
                    onChange: (value, control) => {
                      change(at, inner.name, value);
                      recheck(inner, innerId, control);
                    },
                  })}
                </div>
              );
            })}
          </li>
        ))}
      </ol>
      <div>
        <button
          type="button"
          id={id}
          class="button"
          aria-disabled={entries.length >= maxItems}
          onClick={() => {
            if (entries.length >= maxItems) return;
            onChange([...entries, newEntry(fields)]);
            focusOn(entries.length);
          }}
        >
          {label("addEntry", { entry: itemLabel })}
        </button>
      </div>
    </>
  );
}

/** The id of a field of an entry; it stays the same if the entry moves. */
export function idInGroup(id: string, { key }: HeldEntry, place: number): string {
  return `${id}-${key}-${place}`;
}

function Tool({
  name,
  path,
  isOff = false,
  onPress,
}: {
  name: string;
  path: string;
  isOff?: boolean;
  onPress(): void;
}) {
  return (
    <button
      type="button"
      class="button icon plain"
      aria-label={name}
      aria-disabled={isOff}
      onClick={() => !isOff && onPress()}
    >
      <Icon path={path} />
    </button>
  );
}
