// Runs in the host's page and watches the question from outside, frame by frame. It shares nothing with
// the code that arms the dialog: it reads the screen's layout and the order of the top layer.

/** One dialog of the host, from its opening to its end. */
export interface DialogRecord {
  readonly id: number;
  /** A question has an "Allow"; a notice doesn't. */
  readonly isQuestion: boolean;
  readonly text: string;
  readonly openedAt: number;
  closedAt: number;
}

/** A press of a mouse button or key, and what the user had seen until then. */
export interface PressRecord {
  readonly at: number;
  /** The dialog on the screen, 0 for none. */
  readonly dialog: number;
  /** Milliseconds for which it was on top, inside the window, and didn't move. */
  readonly clearFor: number;
  /** Whether every line of it was in sight at some time. */
  readonly isAllSeen: boolean;
  /** What started that time. */
  readonly why: string;
}

/** A moment at which the page handled something that can answer a dialog. */
export interface AnswerRecord {
  readonly at: number;
  readonly dialog: number;
}

/** What the recorder saw. */
export interface ScreenRecord {
  readonly dialogs: DialogRecord[];
  readonly presses: PressRecord[];
  readonly answers: AnswerRecord[];
  /** The presses that changed how long the answer holds. */
  readonly ticks: PressRecord[];
  frames: number;
}

declare global {
  interface Window {
    screenRecord: ScreenRecord;
  }
}

/** Starts recording; sent to the page as source text. */
export function recordScreen(): void {
  const record: ScreenRecord = {
    dialogs: [],
    presses: [],
    answers: [],
    ticks: [],
    frames: 0,
  };
  window.screenRecord = record;

  // The last one that was shown is on top, whatever a modal dialog makes inert below.
  let order = 0;
  const shownAs = new WeakMap<Element, number>();
  const covers = new Set<Element>();
  const { showModal } = HTMLDialogElement.prototype;
  HTMLDialogElement.prototype.showModal = function () {
    order += 1;
    shownAs.set(this, order);
    showModal.call(this);
  };
  const { showPopover } = HTMLElement.prototype;
  HTMLElement.prototype.showPopover = function (...options) {
    showPopover.apply(this, options);
    order += 1;
    shownAs.set(this, order);
    covers.add(this);
  };
  const isCovered = (dialog: Element): boolean => {
    const own = shownAs.get(dialog) ?? 0;
    if (document.fullscreenElement) return true;
    return [...covers].some(
      (cover) =>
        cover.isConnected && cover.matches(":popover-open") && (shownAs.get(cover) ?? 0) > own,
    );
  };

  let host: Element | undefined;
  let current: DialogRecord | undefined;
  let clearSince = Number.POSITIVE_INFINITY;
  let place = "";
  let why = "";
  let width = 0;
  let seen: (true | undefined)[] = [];
  const STEP = 8;

  const opened = (element: Element): void => {
    const root = window.site.root("dialog");
    host = element;
    current = {
      id: record.dialogs.length + 1,
      isQuestion: root?.querySelector(".allow") !== null,
      text: root?.querySelector(".content")?.textContent ?? "",
      openedAt: performance.now(),
      closedAt: Number.POSITIVE_INFINITY,
    };
    record.dialogs.push(current);
    const { id } = current;
    root?.addEventListener("change", () => {
      const press = record.presses.findLast(({ dialog }) => dialog === id);
      if (press) record.ticks.push(press);
    });
    clearSince = Number.POSITIVE_INFINITY;
    place = "";
    why = "it opened";
    width = 0;
    seen = [];
  };
  const closed = (): void => {
    if (current) current.closedAt = performance.now();
    host = undefined;
    current = undefined;
  };
  // One dialog can take the place of another in one step.
  new MutationObserver(() => {
    const now = document.querySelector("[data-vitrine-consent]") ?? undefined;
    if (now === host) return;
    closed();
    if (now) opened(now);
  }).observe(document.body, { childList: true });

  /** What keeps the dialog from being seen whole: it must be in the window, and be hit anywhere. */
  const obstacle = (dialog: Element, box: DOMRect): string | undefined => {
    if (document.visibilityState !== "visible") return "the page was hidden";
    if (isCovered(dialog)) return "something was above it";
    const { left, top, right, bottom, width, height } = box;
    if (width === 0 || left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) {
      return "it was not all in the window";
    }
    const isHit = [0.05, 0.5, 0.95].every((x) =>
      [0.03, 0.25, 0.5, 0.75, 0.97].every(
        (y) => document.elementFromPoint(left + width * x, top + height * y) === host,
      ),
    );
    return isHit ? undefined : "a pointer would hit something else";
  };
  /** Marks the strips of the request that are in sight; lines that break differently start over. */
  const read = ({ scrollTop, clientHeight, scrollHeight, clientWidth }: Element): void => {
    if (clientWidth !== width) seen = [];
    width = clientWidth;
    seen.length = Math.ceil(scrollHeight / STEP);
    const from = Math.max(0, Math.floor(scrollTop / STEP));
    // Sizes are rounded, positions aren't.
    seen.fill(true, from, Math.ceil((scrollTop + clientHeight + 1) / STEP));
  };
  const look = (now: number): void => {
    const root = window.site.root("dialog");
    const dialog = root?.querySelector("dialog");
    const content = root?.querySelector(".content");
    const allow = root?.querySelector(".allow");
    if (!current || !dialog?.open || !content || !allow) return;
    const box = dialog.getBoundingClientRect();
    const found = obstacle(dialog, box);
    if (found) {
      clearSince = Number.POSITIVE_INFINITY;
      why = found;
      return;
    }
    const button = allow.getBoundingClientRect();
    const here = [button.x, button.y, button.width, button.height].map(Math.round).join();
    if (here !== place && place) why = `its button moved from ${place} to ${here}`;
    if (here !== place || clearSince > now) clearSince = now;
    place = here;
    read(content);
  };
  const tick = (): void => {
    record.frames += 1;
    look(performance.now());
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);

  const press = (event: Event): void => {
    if (event instanceof KeyboardEvent && !["Enter", " ", "Escape"].includes(event.key)) return;
    record.presses.push({
      at: event.timeStamp,
      dialog: current?.id ?? 0,
      clearFor: event.timeStamp - clearSince,
      isAllSeen: seen.length > 0 && !seen.includes(undefined),
      why,
    });
  };
  // A busy page handles a press long after it was made.
  const answer = (): void => {
    record.answers.push({ at: performance.now(), dialog: current?.id ?? 0 });
  };
  for (const type of ["click", "keydown"]) addEventListener(type, answer, true);
  addEventListener("pointerdown", press, true);
  addEventListener("keydown", press, true);
}
