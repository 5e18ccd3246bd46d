/** A JSON value that a View gets back after a reload or a remount. */
export interface ViewState {
  /**
   * Resolves when the value of an earlier mount is back, or when it is known that there is none: with
   * the connection if the Host keeps state, else with the tool's result or its cancellation.
   */
  readonly ready: Promise<void>;
  /** The current value, or what an earlier mount left. */
  get<T = unknown>(): T | undefined;
  /** Replaces the value. */
  set(value: unknown): void;
}

/** The part of the state that the `App` calls. */
export interface RestorableState extends ViewState {
  /** Restores the kept value, unless the View has set another; then the state is ready. */
  restore(value: unknown): void;
  /** Restores the value that this browser kept under the server's id of the view instance. */
  identify(viewUuid: unknown): void;
}

const PREFIX = "vitrine:";
// As much as our Host keeps of a View.
const LONGEST = 65_536;
// Of all Views of this origin, about; each counts for at least a two-hundredth of it.
const SPACE = 1e6;
const LEAST = SPACE / 200;

/**
 * Creates the state of one View. The Host keeps it if it offers that (see `sendToHost`); else
 * in `localStorage` under the `viewUUID` that the server put into the tool result's `_meta`; else, or
 * in an opaque origin, in memory only.
 */
export function createState(sendToHost: (value: unknown) => unknown): RestorableState {
  let current: unknown;
  let key: string | undefined;
  let isTidy: boolean | undefined;
  let settle: () => void;
  const restore = (value: unknown): void => {
    current ??= value;
    settle();
  };
  return {
    ready: new Promise((resolve) => {
      settle = resolve;
    }),
    restore,
    get: () => current as never,
    set: (value) => {
      current = value;
      try {
        if (sendToHost(value) || !key) return;
        const text = `${Date.now()} ${JSON.stringify(value)}`;
        if (text.length > LONGEST) {
          // An outdated value would be worse than none.
          delete localStorage[key];
          return;
        }
        localStorage[key] = text;
        if (!isTidy) tidy(localStorage);
        isTidy = true;
      } catch {
        // Opaque origin, or the quota is used up: it stays in memory.
      }
    },
    identify: (viewUuid) => {
      let kept: unknown;
      try {
        if (viewUuid) {
          key = PREFIX + viewUuid;
          const text: string = localStorage[key];
          kept = JSON.parse(text.slice(text.indexOf(" ")));
        }
      } catch {
        // Opaque origin, or nothing kept yet.
      }
      restore(kept);
    },
  };
}

/** Removes the oldest values, so that the state of old conversations doesn't fill the storage. */
function tidy(storage: Record<string, string>): void {
  let space = SPACE;
  const stored = Object.entries(storage).filter(([key]) => key.startsWith(PREFIX));
  // Each begins with its time.
  for (const [key, text] of stored.sort(([, a], [, b]) => (a < b ? 1 : -1))) {
    space -= Math.max(text.length, LEAST);
    if (space < 0) delete storage[key];
  }
}
