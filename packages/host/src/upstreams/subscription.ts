import type { McpClientLike, Subscription } from "./official-client.ts";
import type { ListName, UpstreamCapabilities } from "./upstream.ts";

interface Listener {
  listen(filter: object, options: { signal: AbortSignal }): Promise<Subscription>;
}

const LISTS = ["tools", "resources", "prompts"] as const satisfies ListName[];

/**
 * Subscribes to list changes of a server of 2026-07-28, and again whenever the stream breaks; the
 * events arrive with all other messages. Calls `tell` for lists that may have changed while there was
 * no subscription.
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
      // A first attempt that is rejected is final; later ones may meet a server that is restarting.
      if (!isLate) return;
      wait = Math.min(2 * wait, 60_000);
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
