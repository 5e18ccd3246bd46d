import { useEffect, useRef, useState } from "preact/hooks";
import type { Lane } from "../../src/templates/kanban-data.ts";
import type { Spot } from "./lanes.ts";

/** A card that the pointer drags. */
export interface Drag {
  card: number;
  /** How far it has come, in pixels. */
  x: number;
  y: number;
  /** Where it would be put down; undefined outside of any column. */
  to: Spot | undefined;
}

// A hand is never quite still: less than this is a click.
const THRESHOLD = 6;
const EDGE = 48;

/**
 * Dragging by pointer events, which mice, pens and fingers all have. A finger drags by the handle alone:
 * elsewhere it scrolls.
 */
export function useDrag(
  lanes: readonly Lane[],
  onDrop: (card: number, to: Spot) => void,
): {
  drag: Drag | undefined;
  onPointerDown(event: PointerEvent, card: number): void;
  onClickCapture(event: MouseEvent): void;
} {
  const [drag, setDrag] = useState<Drag>();
  const hasDragged = useRef(false);
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);

  const onPointerDown = (down: PointerEvent, card: number): void => {
    hasDragged.current = false;
    const source = down.target as Element;
    const byHandle = source.closest(".handle") !== null;
    if (down.button !== 0 || stop.current || (down.pointerType === "touch" && !byHandle)) return;
    let current: Drag | undefined;
    const show = (next: Drag | undefined): void => {
      current = next;
      setDrag(next);
    };
    const onMove = (event: PointerEvent): void => {
      if (event.pointerId !== down.pointerId) return;
      const [x, y] = [event.clientX - down.clientX, event.clientY - down.clientY];
      if (!current && Math.hypot(x, y) < THRESHOLD) return;
      hasDragged.current = true;
      event.preventDefault();
      scrollNearEdge(event);
      show({ card, x, y, to: spotAt(event, lanes, card) });
    };
    const end = (event: Event, isDrop: boolean): void => {
      if (event instanceof PointerEvent && event.pointerId !== down.pointerId) return;
      const to = current?.to;
      stop.current?.();
      if (isDrop && to) onDrop(card, to);
    };
    const onUp = (event: Event): void => end(event, true);
    const onCancel = (event: Event): void => end(event, false);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") end(event, false);
    };
    const listeners = [
      ["pointermove", onMove],
      ["pointerup", onUp],
      ["pointercancel", onCancel],
      ["blur", onCancel],
      ["keydown", onKey],
      // Text and images would otherwise be dragged by the browser.
      ["dragstart", (event: Event) => event.preventDefault()],
    ] as const;
    for (const [type, listener] of listeners) addEventListener(type, listener as EventListener);
    stop.current = () => {
      for (const [type, listener] of listeners)
        removeEventListener(type, listener as EventListener);
      stop.current = undefined;
      show(undefined);
    };
  };
  // Dropping a card must not count as a click on it.
  const onClickCapture = (event: MouseEvent): void => {
    if (!hasDragged.current) return;
    hasDragged.current = false;
    event.stopPropagation();
    event.preventDefault();
  };
  return { drag, onPointerDown, onClickCapture };
}

/** The place below the pointer. */
function spotAt(
  { clientX, clientY }: PointerEvent,
  lanes: readonly Lane[],
  card: number,
): Spot | undefined {
  const column = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>(".lane");
  const lane = Number(column?.dataset.lane ?? -1);
  if (!column || !lanes[lane]?.isColumn) return undefined;
  const others = [...column.querySelectorAll<HTMLElement>(".card")].filter(
    ({ dataset }) => Number(dataset.card) !== card,
  );
  const index = others.findIndex((other) => {
    const { top, height } = other.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  const end = lanes[lane]?.cards.filter((key) => key !== card).length ?? 0;
  return { lane, index: index < 0 ? end : index };
}

/** A board wider than its place comes along. */
function scrollNearEdge({ clientX }: PointerEvent): void {
  const board = document.querySelector(".board");
  if (!board) return;
  const { left, right } = board.getBoundingClientRect();
  if (clientX < left + EDGE) board.scrollLeft -= EDGE / 4;
  else if (clientX > right - EDGE) board.scrollLeft += EDGE / 4;
}
