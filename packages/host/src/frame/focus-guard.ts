// A view can take the focus at any time, and then receives what the user types. No event tells the
// host why its window lost the focus, and the focus inside a view is lost when it is taken away, so
// it can't be restored after a click. The guard has to distinguish thefts from clicks at once, by what
// the page saw of the user: a user who types isn't clicking, and a mouse must come from somewhere. The
// relay adds what the page can't see: whether the user has just acted inside.

import { activeElement } from "../surface/elements.ts";

/** A guarded frame. */
export interface GuardedFrame {
  readonly element: HTMLIFrameElement;
  isUserActive(): Promise<boolean | undefined>;
}

/** Prevents views from taking the focus without the user. */
export interface FocusGuard {
  /**
   * Calls `onThefts` once, when a view has tried too often. Returns a function that stops the guard.
   */
  watch(frame: GuardedFrame, onThefts: () => void): () => void;
}

interface Seat {
  frame: GuardedFrame;
  onThefts: () => void;
  /** When it last lost the focus that the user had given it. */
  left: number;
  /** The host gave it the focus. */
  isInvited: boolean;
  weight: number;
  isJudged: boolean;
}

// Milliseconds.
const TYPING = 1000;
// Chromium counts a click as user activity for this long.
const ACTIVATION = 5000;
const TAB_TIME = 500;
const PATROL = 100;
// How often, and for how long, a view that has tried is checked.
const WATCH = 10;
const WATCH_TIME = 10_000;

// Three thefts while the user types. A view that focuses its own field at the wrong moment may do it
// four times as often.
const THEFT = 4;
const MOST_WEIGHT = 12;

const NEVER = Number.NEGATIVE_INFINITY;
const now = (): number => performance.now();

const NEW_SEAT = { left: NEVER, isInvited: false, weight: 0, isJudged: false };
const SURE: ReadonlySet<string> = new Set(["theft", "stray"]);

/** One per page: which frame has the focus concerns all of them. */
export function createFocusGuard(): FocusGuard {
  const seats = new Set<Seat>();
  let last: HTMLElement | undefined;
  // When the user last typed, moved on with Tab, typed or clicked, and moved the mouse to another
  // element.
  let keyAt = NEVER;
  let tabAt = NEVER;
  let actAt = NEVER;
  let overAt = NEVER;
  // The element that the mouse was last seen over, if it still exists.
  let over: EventTarget | null = null;
  // The last action was a mouse press: the mouse is in the page until it is seen to move on.
  let isPress = false;
  let holder: Seat | undefined;
  let patrol: ReturnType<typeof setInterval> | undefined;
  let watcher: ReturnType<typeof setInterval> | undefined;
  let watchEnd = NEVER;

  const occupied = (): Seat | undefined => {
    for (const seat of seats) {
      const { element } = seat.frame;
      if ((element.getRootNode() as Document).activeElement === element) return seat;
    }
    return undefined;
  };

  const giveBack = (seat: Seat, to: HTMLElement | undefined): void => {
    if (occupied() === seat) to?.focus({ preventScroll: true });
    // The element that had the focus is gone, or inside a shadow root.
    if (occupied() === seat) seat.frame.element.blur();
    watchEnd = now() + WATCH_TIME;
    watcher ??= setInterval(watch, WATCH);
  };

  /**
   * Firefox sends no event for a theft that happens while the focus returns from the previous one.
   */
  const watch = (): void => {
    const seat = occupied();
    if (seat && !holder) void judge(seat);
    if (now() < watchEnd) return;
    clearInterval(watcher);
    watcher = undefined;
  };

  const charge = (seat: Seat, weight: number): void => {
    const before = seat.weight;
    seat.weight += weight;
    if (before < MOST_WEIGHT && seat.weight >= MOST_WEIGHT) seat.onThefts();
  };

  const seize = (seat: Seat): void => {
    holder = seat;
    clearInterval(patrol);
    // No event is sent when the focus moves from one frame to another.
    if (seats.size > 1) patrol = setInterval(inspect, PATROL);
  };

  /** Whether the mouse may be over a frame, as far as events outside of shadow roots tell. */
  const mayPoint = ({ frame }: Seat): boolean => {
    let node: Node = frame.element;
    for (let root = node.getRootNode(); root instanceof ShadowRoot; root = node.getRootNode()) {
      node = root.host;
    }
    return !over || over === node;
  };

  /** What the page itself knows about how the focus moved to a frame. */
  const findCause = (seat: Seat): "user" | "mouse" | "theft" | "stray" | "unknown" => {
    const isTyping = now() - keyAt < TYPING;
    const isByKey = now() - tabAt < TAB_TIME;
    const { isInvited } = seat;
    seat.isInvited = false;
    if (isInvited || isByKey || !(isTyping || isEditable(last))) return "user";
    if (overAt > actAt) return "mouse";
    if (isTyping) return "theft";
    return isPress ? "stray" : "unknown";
  };

  const judge = async (seat: Seat): Promise<void> => {
    if (seat.isJudged) return;
    seat.isJudged = true;
    await weigh(seat);
    seat.isJudged = false;
  };

  const weigh = async (seat: Seat): Promise<void> => {
    const cause = findCause(seat);
    const back = last;
    if (cause === "user") {
      seize(seat);
      return;
    }
    // At once: a key pressed while we ask would count as the user's activity in it.
    const isSure = SURE.has(cause);
    if (isSure) giveBack(seat, back);
    // What the user did there before leaving doesn't count, unless nothing else is known.
    const isStale = cause !== "mouse" && now() - seat.left < ACTIVATION && canHover();
    const isActive = (await seat.frame.isUserActive()) && !isStale;
    if (isActive && !isSure) {
      seize(seat);
      return;
    }
    giveBack(seat, back);
    // A click by a user who has just typed, with a resting mouse: they will click again. If the mouse
    // rests elsewhere, the activity is a key that the view has caught.
    if (!isActive || !mayPoint(seat)) charge(seat, cause === "theft" ? THEFT : 1);
  };

  const inspect = async (): Promise<void> => {
    const seat = occupied();
    const from = holder;
    if (!from || !seat || seat === from) return;
    holder = seat;
    if (await seat.frame.isUserActive()) return;
    const isTheft = await from.frame.isUserActive();
    holder = from;
    giveBack(seat, from.frame.element);
    charge(seat, isTheft ? THEFT : 1);
  };

  const onBlur = ({ target }: Event): void => {
    // The window's own event, not that of an element in it.
    if (target !== window) return;
    // A moment later, because the host's own `focus()` on a frame is visible only after this event.
    setTimeout(() => {
      const seat = occupied();
      if (seat) void judge(seat);
    });
  };
  const onFocus = ({ target }: Event): void => {
    if (target !== window) return;
    clearInterval(patrol);
    if (holder) holder.left = now();
    holder = undefined;
  };
  const onFocusIn = (event: FocusEvent): void => {
    const [target] = event.composedPath();
    tabAt = NEVER;
    if (target instanceof HTMLElement && !occupied()) last = target;
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    actAt = now();
    isPress = false;
    if (key === "Tab" || key === "F6") tabAt = actAt;
    else keyAt = actAt;
  };
  const onDown = ({ pointerType }: PointerEvent): void => {
    actAt = now();
    isPress = pointerType === "mouse";
  };
  const onOver = ({ target, pointerType }: PointerEvent): void => {
    overAt = now();
    over = pointerType === "mouse" ? target : null;
  };

  const listeners: [string, (event: never) => void][] = [
    ["blur", onBlur],
    ["focus", onFocus],
    ["focusin", onFocusIn],
    ["keydown", onKey],
    ["pointerdown", onDown],
    ["pointerover", onOver],
  ];
  const listen = (change: "addEventListener" | "removeEventListener"): void => {
    for (const [type, listener] of listeners) {
      globalThis[change](type, listener as EventListener, true);
    }
  };

  return {
    watch: (frame, onThefts) => {
      const { element } = frame;
      const seat: Seat = { ...NEW_SEAT, frame, onThefts };
      const invite = (): void => {
        seat.isInvited = true;
      };
      element.addEventListener("focus", invite);
      if (!seats.size) {
        // The user may be typing when the first view appears.
        last = activeElement() ?? undefined;
        listen("addEventListener");
      }
      seats.add(seat);
      return () => {
        element.removeEventListener("focus", invite);
        seats.delete(seat);
        if (holder === seat) holder = undefined;
        if (seats.size) return;
        listen("removeEventListener");
        clearInterval(patrol);
        watchEnd = NEVER;
      };
    },
  };
}

/** Whether a click needs a mouse movement that the page has seen. */
const canHover = (): boolean => matchMedia("(hover:hover)").matches;

/** Whether the user may be typing there. */
function isEditable(element: HTMLElement | undefined): boolean {
  return element?.isContentEditable || element?.matches("input,textarea,select") || false;
}
