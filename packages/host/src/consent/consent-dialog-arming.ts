// Protects against a click that was meant for something else. A dialog may appear under a moving
// finger, and a view may provoke the click. So "Allow" works only after the dialog has been on top,
// visible and focused for a while, and any interruption restarts the wait.

import type { Reading } from "./consent-dialog-reading.ts";

/** The elements to observe. */
export interface Armed {
  /** The element whose shadow root contains the panel. */
  host: HTMLElement;
  /** Absent if the question is part of the page, which must not take the focus. */
  dialog?: HTMLDialogElement | undefined;
  /** Fills the dialog, and takes focus when a click hits no control. */
  panel: HTMLElement;
  /** Milliseconds. */
  time: number;
  /** How much of the request was visible. */
  reading: Reading;
  onChange(armed: boolean): void;
  /** The dialog was removed from the page. */
  onGone(): void;
}

/** The guard of an open dialog. */
export interface Arming {
  /** True for a press that began after the dialog was armed; called in a click handler. */
  accepts(click: MouseEvent): boolean;
  stop(): void;
}

// Only Chromium reports whether something covers an element.
interface Sight extends IntersectionObserverEntry {
  isVisible?: boolean;
}
const WHOLE = 0.99;
const seesCovers = (): boolean => "isVisible" in IntersectionObserverEntry.prototype;

/**
 * Whether a pointer would hit the panel everywhere. For a question in the page, in every browser and at
 * once; a modal dialog is above everything that could take a press.
 */
function isUncovered(panel: HTMLElement): boolean {
  const { left, top, right, bottom, width, height } = panel.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return false;
  const root = panel.getRootNode() as ShadowRoot;
  return [0.02, 0.5, 0.98].every((x) =>
    [0.02, 0.25, 0.5, 0.75, 0.98].every((y) =>
      panel.contains(root.elementFromPoint(left + width * x, top + height * y)),
    ),
  );
}

/** Observes an open dialog. */
export function armDialog(armed: Armed): Arming {
  const { host, dialog, panel, time, reading, onChange, onGone } = armed;
  let inSight = !seesCovers();
  let attentive = false;
  let armedAt = Number.POSITIVE_INFINITY;
  let pressedAt = Number.POSITIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const disarm = (): void => {
    attentive = false;
    clearTimeout(timer);
    armedAt = Number.POSITIVE_INFINITY;
    onChange(false);
  };
  const isInSight = (): boolean =>
    inSight &&
    document.visibilityState === "visible" &&
    document.hasFocus() &&
    (dialog ? dialog.open && document.activeElement === host : isUncovered(panel));
  const isRead = (): boolean => isInSight() && reading.isComplete;
  /** Any event may stop the timer; only `look` starts it. */
  const judge = (): void => {
    if (attentive && !isRead()) disarm();
  };
  const start = (): void => {
    attentive = true;
    onChange(false);
    timer = setTimeout(() => {
      armedAt = performance.now();
      onChange(true);
    }, time);
  };
  // The top layer is a stack, and clicks pass through elements that a modal dialog made inert: a view
  // that goes full screen above us could show a button where ours is.
  const raise = (): void => {
    dialog?.close();
    dialog?.showModal();
    disarm();
  };

  const listening = new AbortController();
  const on = (target: EventTarget, types: string, listener: (event: never) => void): void => {
    const options = { capture: true, signal: listening.signal };
    for (const type of types.split(" ")) {
      target.addEventListener(type, listener as EventListener, options);
    }
  };
  on(window, "focus blur", judge);
  // A view can take the focus even from behind a modal dialog, and with it the user's Escape.
  const keepFocus = (): unknown => document.activeElement === host || panel.focus();
  if (dialog) on(window, "blur", () => void setTimeout(keepFocus));
  on(window, "resize", disarm);
  // A button must not move under a finger, because of a late font or another question. The first call
  // is with the first frame: while a page is busy the user sees nothing yet.
  const size = new ResizeObserver(() => (host.isConnected ? disarm() : onGone()));
  for (const part of [panel, ...panel.querySelectorAll("button")]) size.observe(part);
  on(document, "visibilitychange", judge);
  on(document, "beforetoggle", disarm);
  on(document, "toggle", (event: ToggleEvent) => event.newState === "open" && raise());
  on(document, "fullscreenchange", raise);
  on(panel, "focusin", judge);
  on(panel, "focusout", (event: FocusEvent) => event.relatedTarget ?? judge());
  // A click next to the panel would take the focus and stop the timer.
  on(dialog ?? panel, "mousedown", (event: MouseEvent) => {
    if (event.target === dialog) event.preventDefault();
  });
  on(panel, "pointerdown", (event: PointerEvent) => {
    pressedAt = event.timeStamp;
  });
  on(panel, "keydown", (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    // A key that has been held down since before the dialog opened.
    if (event.repeat) event.preventDefault();
    else pressedAt = event.timeStamp;
  });

  const sight = new IntersectionObserver(
    (entries) => {
      const before = inSight;
      const newest = entries.at(-1) as Sight | undefined;
      // A dialog fits into the window; a part of the page may be scrolled out of it.
      const isWhole = dialog !== undefined || (newest?.intersectionRatio ?? 0) > WHOLE;
      inSight = (newest?.isVisible ?? true) && isWhole;
      if (before && !inSight) raise();
      else judge();
    },
    { trackVisibility: true, delay: 100, threshold: [0, WHOLE, 1] } as IntersectionObserverInit,
  );
  if (seesCovers()) sight.observe(panel);
  // Only painted content was visible: text can be scrolled twice between two frames. A busy page
  // paints late, so the timer starts in a frame as well.
  let place = "";
  const look = (): void => {
    // A scroll bar that appears or disappears in the page moves the dialog without an event.
    const { x, y } = panel.getBoundingClientRect();
    if (place !== `${x} ${y}`) disarm();
    place = `${x} ${y}`;
    if (isInSight()) reading.look();
    judge();
    if (!attentive && isRead()) start();
    frame = requestAnimationFrame(look);
  };
  let frame = requestAnimationFrame(look);

  return {
    accepts: (click) => {
      // Time stamps belong to the press itself: a press that waited in a busy page's queue is too
      // old.
      const began = Math.min(pressedAt, click.timeStamp);
      pressedAt = Number.POSITIVE_INFINITY;
      return began >= armedAt;
    },
    stop: () => {
      listening.abort();
      sight.disconnect();
      size.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}
