import { expect, test } from "vitest";
import { createLiveViews, type LiveViews } from "../src/live-views.ts";

interface Stand {
  live: LiveViews;
  /** What happened, in order. */
  events: string[];
  add(name: string): () => void;
  /** Scrolls a View onto the screen or off it. */
  show(name: string, isVisible: boolean): void;
  watched: Map<Element, unknown>;
}

function openStand(limit?: number): Stand {
  const events: string[] = [];
  const watched = new Map<Element, (isVisible: boolean) => void>();
  const live = createLiveViews({
    ...(limit !== undefined && { limit }),
    watch: (element, listener) => {
      watched.set(element, listener);
      return () => watched.delete(element);
    },
  });
  const views = new Map<string, { suspend(): void; resume(): void; element: Element }>();
  const add = (name: string): (() => void) => {
    const view = views.get(name) ?? {
      element: { name } as unknown as Element,
      suspend: () => events.push(`suspend ${name}`),
      resume: () => {
        events.push(`resume ${name}`);
        add(name);
      },
    };
    views.set(name, view as never);
    return live.add(view, view.element);
  };
  return {
    live,
    events,
    add,
    watched,
    show: (name, isVisible) => watched.get(views.get(name)?.element as Element)?.(isVisible),
  };
}

test("eight Views live at once, and the one that was off screen longest makes room", () => {
  const { add, show, events } = openStand();
  for (let i = 0; i < 8; i++) add(`${i}`);
  for (const name of ["1", "3"]) show(name, true);
  for (const name of ["3", "1"]) show(name, false);
  add("8");
  expect(events).toEqual(["suspend 3"]);
  add("9");
  expect(events).toEqual(["suspend 3", "suspend 1"]);
});

test("of the Views that were never on screen the oldest goes first, in whatever order the browser reports them", () => {
  const { add, show, events } = openStand(3);
  for (const name of ["a", "b", "c"]) add(name);
  show("a", true);
  for (const name of ["c", "b"]) show(name, false);
  add("d");
  expect(events).toEqual(["suspend b"]);
});

test("a View that is on screen goes only where all are, and the newest never", () => {
  const { add, show, events } = openStand(2);
  add("a");
  add("b");
  show("a", true);
  add("c");
  expect(events).toEqual(["suspend b"]);
});

test("a suspended View that comes on screen again is resumed, in the place of another", () => {
  const { add, show, events } = openStand(2);
  for (const name of ["a", "b"]) add(name);
  show("a", false);
  add("c");
  show("b", false);
  show("a", true);
  expect(events).toEqual(["suspend a", "resume a", "suspend b"]);
  // On screen and alive: nothing to do.
  show("a", true);
  expect(events).toHaveLength(3);
});

test("a View that its Host wakes off screen is not put to sleep at once", () => {
  const { add, show, events } = openStand(1);
  add("a");
  show("a", false);
  add("b");
  add("a");
  expect(events).toEqual(["suspend a", "suspend b"]);
});

test("a View that has left takes no place and is not watched", () => {
  const { add, events, watched } = openStand(2);
  const leave = add("a");
  add("b");
  leave();
  leave();
  add("c");
  expect(events).toEqual([]);
  expect(watched.size).toBe(2);
});

test("a hundred Views that come one after the other keep no more than eight alive", () => {
  const { add, events } = openStand();
  for (let i = 0; i < 100; i++) add(`${i}`);
  expect(events).toEqual(Array.from({ length: 92 }, (_, i) => `suspend ${i}`));
});
