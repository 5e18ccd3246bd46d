/** A JSON value that a View gets back after a reload or a remount. */
export interface ViewState {
  /** The current value, or what an earlier mount left. */
  get<T = unknown>(): T | undefined;
  /** Replaces the value. */
  set(value: unknown): void;
}

/** The part of the state that the `App` calls. */
export interface RestorableState extends ViewState {
  /** Restores the kept value, unless the View has set another. */
  restore(value: unknown): void;
  /** Restores the value that this browser kept under the server's id of the view instance. */
  identify(viewUuid: unknown): void;
}

/**
 * Creates the state of one View. The Host keeps it if it offers that (see `sendToHost`); else
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
