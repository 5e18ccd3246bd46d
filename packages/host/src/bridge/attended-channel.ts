import type { Channel } from "@vitrine/protocol";

/**
 * A channel for a peer that also reports failures. Official transports promise that a message was
 * sent; a rejection means that the other side is gone, and nothing else would notice.
 */
export function attendedChannel(
  channel: Channel,
  watch: (from: "view" | "host", message: unknown) => void,
): Channel {
  const attended: Channel = {
    close: () => channel.close(),
    send: (message) => {
      watch("host", message);
      const sent = channel.send(message) as Promise<unknown> | undefined;
      sent?.catch?.(() => attended.onclose?.());
      return sent;
    },
    start: () => {
      channel.onmessage = (message) => {
        watch("view", message);
        attended.onmessage?.(message);
      };
      channel.onclose = () => attended.onclose?.();
      return channel.start?.();
    },
  };
  return attended;
}
