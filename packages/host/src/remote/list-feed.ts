import type { ListName } from "../upstreams/upstream.ts";
import type { RemoteLink } from "./remote-link.ts";

/** Called with the server, or without one if the lists of all servers may have changed. */
type Listener = (server: string | undefined, list: ListName) => void;

/** Reports changed lists of all servers, over one request. */
export interface ListFeed {
  onChange(listener: Listener): () => void;
  /** Begins to ask, unless it has. */
  start(): void;
  close(): void;
}

const SHORTEST = 1000;
const LONGEST = 60_000;
const LISTS: readonly ListName[] = ["tools", "resources", "prompts"];

/** Creates a feed; nothing is asked yet. */
export function createListFeed(link: RemoteLink, { isOn }: { isOn: boolean }): ListFeed {
  const listeners = new Set<Listener>();
  const over = new AbortController();
  let isFollowing = false;
  let wait = SHORTEST;

  const announce: Listener = (server, list) => {
    for (const listener of [...listeners]) listener(server, list);
  };
  const listen = async (isLate: boolean): Promise<void> => {
    let isFirst = true;
    const onNotification = (method: string, params: Record<string, unknown>): void => {
      wait = SHORTEST;
      // Something may have changed while there was no connection.
      if (isFirst && isLate) for (const list of LISTS) announce(undefined, list);
      isFirst = false;
      if (method !== "apps/list-changed") return;
      announce(params.server as string, params.list as ListName);
    };
    await link.send("apps/listen", {}, { signal: over.signal, onNotification });
  };
  const follow = async (): Promise<void> => {
    for (let isLate = false; !over.signal.aborted; isLate = true) {
      await listen(isLate).catch(() => {});
      // Thousands of pages must not come back at once.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * wait));
      wait = Math.min(LONGEST, wait * 2);
    }
  };

  return {
    onChange: (listener) => {
      const entry: Listener = (server, list) => listener(server, list);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    start: () => {
      if (!isOn || isFollowing) return;
      isFollowing = true;
      void follow();
    },
    close: () => over.abort(),
  };
}
