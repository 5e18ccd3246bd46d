import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, read } from "./api.ts";

/** What a page has of a resource. An error keeps the data of before. */
export interface Data<T> {
  value?: T;
  error?: ApiError;
  /** When `value` was read. */
  at?: number;
  isLoading: boolean;
  reload(): Promise<void>;
}

const INTERVAL = 4000;
const signedOutListeners = new Set<() => void>();

/** Calls `fn` when the API rejects the session. Returns an unsubscribe function. */
export function onSignedOut(fn: () => void): () => void {
  signedOutListeners.add(fn);
  return () => signedOutListeners.delete(fn);
}

/** Tells the page that the session has ended. */
export function reportSignedOut(error: unknown): void {
  if (error instanceof ApiError && error.code === "signed-out") {
    for (const listener of signedOutListeners) listener();
  }
}

/** Reads a resource, and again every few seconds while the page is visible. */
export function useData<T>(path: string | undefined, { live = true } = {}): Data<T> {
  const [state, setState] = useState<Omit<Data<T>, "reload"> & { path?: string }>({
    isLoading: true,
  });
  const running = useRef<AbortController>(undefined);

  const reload = useCallback(async (): Promise<void> => {
    if (path === undefined) return;
    running.current?.abort();
    const run = new AbortController();
    running.current = run;
    try {
      const value = await read<T>(path, run.signal);
      if (!run.signal.aborted) setState({ path, value, at: Date.now(), isLoading: false });
    } catch (error) {
      if (run.signal.aborted) return;
      reportSignedOut(error);
      const known = error instanceof ApiError ? error : new ApiError("unknown", `${error}`);
      setState((before) => ({
        ...(before.path === path ? before : {}),
        path,
        error: known,
        isLoading: false,
      }));
    }
  }, [path]);

  useEffect(() => {
    void reload();
    const tick = (): void => {
      if (!document.hidden) void reload();
    };
    const timer = live ? setInterval(tick, INTERVAL) : undefined;
    if (live) document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
      running.current?.abort();
    };
  }, [reload, live]);

  // The data of another path isn't shown as the data of this one.
  if (state.path !== path) return { isLoading: path !== undefined, reload };
  const { path: _, ...shown } = state;
  return { ...shown, reload };
}
