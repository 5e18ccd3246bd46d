// Against a click that was meant for something else. A dialog may come up under a finger that is on
// its way, and a View may lure the click; so "Allow" answers only after the dialog has been on top,
// in sight and in focus for a while, and any break in that starts the time anew.

/** What is watched. */
export interface Armed {
  /** Holds the shadow root that `dialog` is in. */
  host: HTMLElement;
  dialog: HTMLDialogElement;
  /** Fills the dialog, and takes focus when a click hits no control. */
  panel: HTMLElement;
  /** Milliseconds. */
  time: number;
  onChange(armed: boolean): void;
  /** Somebody took the dialog out of the page. */
  onGone(): void;
}

/** The guard of a dialog that is open. */
export interface Arming {
  /** True for a press that began after the dialog was armed; asked in a click's handler. */
  accepts(click: MouseEvent): boolean;
  stop(): void;
}

// Only Chromium tells whether something covers an element.
interface Sight extends IntersectionObserverEntry {
  isVisible?: boolean;
}
const seesCovers = (): boolean => "isVisible" in IntersectionObserverEntry.prototype;

/** Watches a dialog that is open. */
export function armDialog({ host, dialog, panel, time, onChange, onGone }: Armed): Arming {
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
  const judge = (): void => {
    const now =
      inSight &&
      dialog.open &&
      document.visibilityState === "visible" &&
      document.hasFocus() &&
      document.activeElement === host;
    if (now === attentive) return;
    disarm();
    attentive = now;
    if (!now) return;
    timer = setTimeout(() => {
      armedAt = performance.now();
      onChange(true);
    }, time);
  };
  const restart = (): void => {
    disarm();
    judge();
  };
  // The top layer is a stack, and clicks fall through whatever a modal dialog has made inert: a View
  // that is made full screen above us could show a button where ours is.
  const raise = (): void => {
    dialog.close();
    dialog.showModal();
    restart();
  };

  const listening = new AbortController();
  const on = (target: EventTarget, types: string, listener: (event: never) => void): void => {
    const options = { capture: true, signal: listening.signal };
    for (const type of types.split(" ")) {
      target.addEventListener(type, listener as EventListener, options);
    }
  };
  on(window, "focus blur", judge);
  // A View can take the focus even from behind a modal dialog, and with it the user's Escape.
  on(window, "blur", () => void setTimeout(() => document.activeElement === host || panel.focus()));
  on(window, "resize", restart);
  // Nothing may move a button under a finger: a font that comes late, one more question. The first
  // call is with the first picture: while a page is busy its user sees nothing yet.
  const size = new ResizeObserver(() => (host.isConnected ? restart() : onGone()));
  for (const part of [panel, ...panel.querySelectorAll("button")]) size.observe(part);
  on(document, "visibilitychange", judge);
  on(document, "beforetoggle", restart);
  on(document, "toggle", (event: ToggleEvent) => event.newState === "open" && raise());
  on(document, "fullscreenchange", raise);
  on(panel, "focusin", judge);
  on(panel, "focusout", (event: FocusEvent) => event.relatedTarget ?? judge());
  // A click beside the panel would take the focus, and with it the time.
  on(dialog, "mousedown", (event: MouseEvent) => {
    if (event.target === dialog) event.preventDefault();
  });
  on(panel, "pointerdown", (event: PointerEvent) => {
    pressedAt = event.timeStamp;
  });
  on(panel, "keydown", (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    // A key held down since before the dialog came up.
    if (event.repeat) event.preventDefault();
    else pressedAt = event.timeStamp;
  });

  const sight = new IntersectionObserver(
    (entries) => {
      const before = inSight;
      inSight = (entries.at(-1) as Sight | undefined)?.isVisible ?? true;
      if (before && !inSight) raise();
      else judge();
    },
    { trackVisibility: true, delay: 100 } as IntersectionObserverInit,
  );
  if (seesCovers()) sight.observe(panel);
  judge();

  return {
    accepts: (click) => {
      // Time stamps are of the press itself: one that waited in a busy page's queue is too old.
      const began = Math.min(pressedAt, click.timeStamp);
      pressedAt = Number.POSITIVE_INFINITY;
      return began >= armedAt;
    },
    stop: () => {
      listening.abort();
      sight.disconnect();
      size.disconnect();
      clearTimeout(timer);
    },
  };
}
