import type { McpClientLike, Subscription } from "./mcp-client.ts";
import type { ListName, UpstreamCapabilities } from "./upstream.ts";

interface Listener {
  listen(filter: object, options: { signal: AbortSignal }): Promise<Subscription>;
}

const LISTS = ["tools", "resources", "prompts"] as const satisfies ListName[];

/**
 * Asks a Server of 2026-07-28 for news of its lists, and again whenever the stream breaks; the news come
 * in with all other messages. `tell` hears of lists that may have changed while nobody listened.
 */
export async function subscribe(
  client: McpClientLike,
  tell: (list: ListName) => void,
  signal: AbortSignal,
): Promise<void> {
  const { transport } = client;
  const listener = client as unknown as Listener;
  const offered = (client.getServerCapabilities() ?? {}) as UpstreamCapabilities;
  const lists = LISTS.filter((list) => offered[list]?.listChanged);
  const filter = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
  let isLate = false;
  let wait = 1000;
  while (lists[0] && !signal.aborted && client.transport === transport) {
    try {
      const { closed, honoredFilter } = await listener.listen(filter, { signal });
      wait = 1000;
      if (isLate) lists.map(tell);
      isLate = true;
      await closed;
      if (!Object.keys(honoredFilter).length) return;
    } catch {
      // Refused at first is refused for good; later it is a Server that starts again.
      if (!isLate) return;
      wait = Math.min(2 * wait, 60_000);
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
