// A View can take the focus whenever it likes, and then gets what the user types. No event tells the
// Host why its window lost the focus, and what a View had in focus is forgotten when it is taken away,
// so it cannot be handed back after a click: the two have to be told apart at once, by what the page
// saw of the user. Somebody who types is not clicking, and a mouse has to come from somewhere. What
// the page cannot see, the relay knows: whether the user has just acted inside.

import { activeElement } from "../surface/display-mode.ts";

/** A frame under guard. */
export interface GuardedFrame {
  readonly element: HTMLIFrameElement;
  isUserActive(): Promise<boolean | undefined>;
}

/** Keeps Views from taking the focus that the user has not given them. */
export interface FocusGuard {
  /** `onThefts` is told once, when a View has tried too often. Returns the undo. */
  watch(frame: GuardedFrame, onThefts: () => void): () => void;
}

interface Seat {
  frame: GuardedFrame;
  onThefts: () => void;
  /** When it last lost the focus that it had by right. */
  left: number;
  /** The Host gave it the focus. */
  isInvited: boolean;
  weight: number;
  isJudged: boolean;
}

// Milliseconds.
const TYPING = 1000;
// A click counts as the user's activity for so long, in Chromium.
const ACTIVATION = 5000;
const TAB_TIME = 500;
const PATROL = 100;
// A View that has tried is looked at so often, for so long.
const WATCH = 10;
const WATCH_TIME = 10_000;

// Three thefts from somebody who types; a View that focuses its own field at the wrong moment has
// four times as many.
const THEFT = 4;
const MOST_WEIGHT = 12;

const NEVER = Number.NEGATIVE_INFINITY;
const now = (): number => performance.now();

const NEW_SEAT = { left: NEVER, isInvited: false, weight: 0, isJudged: false };
const SURE: ReadonlySet<string> = new Set(["theft", "stray"]);

/** One for a page: which frame has the focus concerns all of them. */
export function createFocusGuard(): FocusGuard {
  const seats = new Set<Seat>();
  let last: HTMLElement | undefined;
  // When the user last typed, went on by Tab, typed or clicked, and moved the mouse to something else.
  let keyAt = NEVER;
  let tabAt = NEVER;
  let actAt = NEVER;
  let overAt = NEVER;
  // What the mouse was last seen over, if there is one.
  let over: EventTarget | null = null;
  // What they did last was a press of the mouse: it is in the page, until it is seen to move on.
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
    // What had it is gone, or hides in a shadow root.
    if (occupied() === seat) seat.frame.element.blur();
    watchEnd = now() + WATCH_TIME;
    watcher ??= setInterval(watch, WATCH);
  };

  /** Firefox tells nothing of a theft that meets the focus on its way back from the one before. */
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
    // No event tells of a focus that goes from one frame to another.
    if (seats.size > 1) patrol = setInterval(inspect, PATROL);
  };

  /** Whether the mouse may be over a frame, as far as events tell from outside of shadow roots. */
  const mayPoint = ({ frame }: Seat): boolean => {
    let node: Node = frame.element;
    for (let root = node.getRootNode(); root instanceof ShadowRoot; root = node.getRootNode()) {
      node = root.host;
    }
    return !over || over === node;
  };

  /** What the page itself knows of how the focus went to a frame. */
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
    // At once: a key that came while we ask would count as the user's activity in it.
    const isSure = SURE.has(cause);
    if (isSure) giveBack(seat, back);
    // What the user did in it before they left does not count, unless nothing else can be known.
    const isStale = cause !== "mouse" && now() - seat.left < ACTIVATION && canHover();
    const isActive = (await seat.frame.isUserActive()) && !isStale;
    if (isActive && !isSure) {
      seize(seat);
      return;
    }
    giveBack(seat, back);
    // A click of somebody who had just typed, with the mouse at rest: they will click again. Where it
    // rests elsewhere, the activity is a key that the View has caught.
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
    // The window's own and not that of an element in it.
    if (target !== window) return;
    // A moment later, because the Host's own `focus()` on a frame says so only after this event.
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
        // The user may be in the middle of writing when the first View comes.
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

/** Whether a click needs a mouse that the page has seen come. */
const canHover = (): boolean => matchMedia("(hover:hover)").matches;

/** Whether somebody may be in the middle of writing there. */
function isEditable(element: HTMLElement | undefined): boolean {
  return element?.isContentEditable || element?.matches("input,textarea,select") || false;
}
