/** What a View wants back after a reload or a remount: a JSON value of its own making. */
export interface ViewState {
  /** The current value, or what an earlier mount left. */
  get<T = unknown>(): T | undefined;
  /** Replaces the value. */
  set(value: unknown): void;
}

/** The part of the state that the `App` feeds. */
export interface RestorableState extends ViewState {
  /** Takes what was kept, unless the View has moved on. */
  restore(value: unknown): void;
  /** Takes what this browser kept under the server's name for the view instance. */
  identify(viewUuid: unknown): void;
}

/**
 * Makes the state of one View. It is kept by the Host where that offers to (`sendToHost` tells); else
 * in `localStorage` under the `viewUUID` that the server put into the tool result's `_meta`; else, or
 * in an opaque origin, in memory only.
 */
export function createState(sendToHost: (value: unknown) => unknown): RestorableState {
  let current: unknown;
  let key: string | undefined;
  const restore = (value: unknown): void => {
    current ??= value;
  };
  return {
    restore,
    get: () => current as never,
    set: (value) => {
      current = value;
      try {
        if (!sendToHost(value) && key) localStorage[key] = JSON.stringify(value);
      } catch {
        // Opaque origin, or the quota is used up: it stays in memory.
      }
    },
    identify: (viewUuid) => {
      if (!viewUuid) return;
      key = `vitrine:${viewUuid}`;
      try {
        restore(JSON.parse(localStorage[key]));
      } catch {
        // Opaque origin, or nothing kept yet.
      }
    },
  };
}
