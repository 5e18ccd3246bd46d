import {
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useStore } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import {
  EVERYTHING,
  filterRows,
  type TimelineFilter,
  type TimelineRow,
  visibleRange,
} from "../timeline-model.ts";
import { Icon } from "./icon.tsx";
import { MessageDetail } from "./message-detail.tsx";
import { Segments } from "./segments.tsx";
import { ROW_HEIGHT, TrafficRow } from "./traffic-row.tsx";

const SIDES: [TimelineFilter["side"], string][] = [
  ["all", "All"],
  ["view", "View"],
  ["server", "Server"],
];

/** Every message, newest last. Only visible rows are in the page. */
export function Timeline({ host }: { host: DevHost }): ReactNode {
  const version = useStore(host.timeline);
  const { rows } = host.timeline;
  const [filter, setFilter] = useState(EVERYTHING);
  const [chosen, setChosen] = useState<number | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are the same list, with a new version.
  const found = useMemo(() => filterRows(rows, filter), [rows, version, filter]);
  const selected = found.find(({ index }) => index === chosen);
  const change = (part: Partial<TimelineFilter>): void => setFilter({ ...filter, ...part });
  return (
    <div className="timeline">
      <div className="filters">
        <div className="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search messages"
            placeholder="Search"
            value={filter.search}
            onChange={({ target }) => change({ search: target.value })}
          />
        </div>
        <Segments label="Side">
          {SIDES.map(([side, words]) => (
            <button
              type="button"
              key={side}
              aria-pressed={filter.side === side}
              onClick={() => change({ side })}
            >
              {words}
            </button>
          ))}
        </Segments>
        <button
          type="button"
          className="plain small"
          aria-pressed={filter.errors}
          onClick={() => change({ errors: !filter.errors })}
        >
          Errors
        </button>
        <button
          type="button"
          className="plain small"
          aria-pressed={filter.noise}
          title="Pings, sizes and host context changes"
          onClick={() => change({ noise: !filter.noise })}
        >
          Noise
        </button>
        <button type="button" className="plain small" onClick={() => void host.clearTimeline()}>
          Clear
        </button>
      </div>
      {found.length === 0 && (
        <p className="empty">{rows.length === 0 ? "No messages yet" : "No matching messages"}</p>
      )}
      <Rows rows={found} chosen={selected} onChoose={({ index }) => setChosen(index)} />
      <p className="count" role="status">
        {found.length === rows.length
          ? `${rows.length} messages`
          : `${found.length} of ${rows.length} messages`}
      </p>
      {selected && (
        <MessageDetail
          key={selected.index}
          row={selected}
          onPartner={(index) => setChosen(index)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  );
}

const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  End: Infinity,
  Home: -Infinity,
};

function Rows({
  rows,
  chosen,
  onChoose,
}: {
  rows: readonly TimelineRow[];
  chosen: TimelineRow | undefined;
  onChoose(row: TimelineRow): void;
}): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ scrollTop: 0, height: 600 });
  // A user at the end wants to follow new messages; one who scrolled away doesn't.
  const isAtEnd = useRef(true);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = (): void => {
      isAtEnd.current =
        element.scrollTop + element.clientHeight >= element.scrollHeight - ROW_HEIGHT;
      setScroll({ scrollTop: element.scrollTop, height: element.clientHeight });
    };
    element.addEventListener("scroll", measure, { passive: true });
    const sizes = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
      measure();
    });
    sizes.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      sizes.disconnect();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows change.
  useLayoutEffect(() => {
    const element = list.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [rows.length]);

  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined || rows.length === 0) return;
    event.preventDefault();
    const at = chosen ? rows.indexOf(chosen) : step > 0 ? -1 : rows.length;
    const next = Math.min(Math.max(at + step, 0), rows.length - 1);
    onChoose(rows[next] as TimelineRow);
    reveal(list.current, next);
  };
  const { begin, end } = visibleRange({ count: rows.length, rowHeight: ROW_HEIGHT, ...scroll });
  return (
    <div
      className="rows"
      ref={list}
      role="listbox"
      aria-label="Messages"
      tabIndex={0}
      aria-activedescendant={chosen && `message-${chosen.index}`}
      onKeyDown={move}
    >
      <div
        style={{ blockSize: rows.length * ROW_HEIGHT, position: "relative" }}
        role="presentation"
      >
        {rows.slice(begin, end).map((row, place) => (
          <TrafficRow
            key={row.index}
            row={row}
            top={(begin + place) * ROW_HEIGHT}
            position={[begin + place + 1, rows.length]}
            isChosen={row === chosen}
            isPartner={chosen !== undefined && row.index === chosen.partner}
            onChoose={onChoose}
          />
        ))}
      </div>
    </div>
  );
}

function reveal(element: HTMLElement | null, index: number): void {
  if (!element) return;
  const top = index * ROW_HEIGHT;
  if (top < element.scrollTop) element.scrollTop = top;
  const end = top + ROW_HEIGHT - element.clientHeight;
  if (end > element.scrollTop) element.scrollTop = end;
}
