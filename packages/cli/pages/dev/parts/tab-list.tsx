import { type KeyboardEvent, type ReactNode, useRef } from "react";

/** One tab. */
export interface TabLabel<Id extends string> {
  id: Id;
  label: string;
  /** Something needs the user's attention. */
  isAlarm?: boolean;
}

/** Tabs that arrow keys move through; `panel` is the id of the element that they switch. */
export function TabList<Id extends string>({
  name,
  tabs,
  selected,
  panel,
  onSelect,
}: {
  name: string;
  tabs: readonly TabLabel<Id>[];
  selected: Id;
  panel: string;
  onSelect(id: Id): void;
}): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const index = tabs.findIndex(({ id }) => id === selected);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onSelect(next.id);
    list.current?.querySelector<HTMLElement>(`#${tabId(panel, next.id)}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={name} ref={list} onKeyDown={move}>
      {tabs.map(({ id, label, isAlarm = false }) => (
        <button
          type="button"
          role="tab"
          key={id}
          id={tabId(panel, id)}
          aria-selected={selected === id}
          aria-controls={panel}
          tabIndex={selected === id ? 0 : -1}
          data-alarm={isAlarm}
          onClick={() => onSelect(id)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The id of a tab's button, which names its panel. */
export function tabId(panel: string, id: string): string {
  return `${panel}-tab-${id}`;
}
