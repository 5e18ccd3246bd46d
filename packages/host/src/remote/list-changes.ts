import type { Upstream } from "../upstreams/upstream.ts";

/** Sends a notification for each changed list of each server, until the signal aborts. */
export async function followLists({
  servers,
  connect,
  notify,
  signal,
}: {
  servers: readonly string[];
  connect(server: string): Promise<Upstream>;
  notify(message: object): void;
  signal: AbortSignal;
}): Promise<object> {
  const ended = new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", resolve, { once: true });
  });
  const follow = async (server: string): Promise<() => void> => {
    try {
      const upstream = await connect(server);
      return upstream.onListChanged((list) =>
        notify({ method: "apps/list-changed", params: { server, list } }),
      );
    } catch {
      // Pages notice a server that doesn't respond when they use it.
      return () => {};
    }
  };
  const stops = await Promise.all(servers.map(follow));
  // Tells the page that from now on it misses nothing, and keeps proxies from closing the response.
  notify({ method: "apps/listening", params: {} });
  const beat = setInterval(() => notify({ method: "apps/listening", params: {} }), 20_000);
  await ended;
  clearInterval(beat);
  for (const stop of stops) stop();
  return { result: {} };
}
