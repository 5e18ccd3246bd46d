import type { Channel } from "@vitrine/protocol";

/** Whoever takes our messages: a window, or the port that came from it. */
type Partner = Pick<MessagePort, "postMessage" | "onmessage">;

/**
 * A View's channel to its Host. A View cannot know its Host's origin, so the source alone counts
 * (SBX-15). A Sandbox may put a port beside a message of JSON-RPC, as ours does: everything after it
 * travels there, at a quarter of what window messages cost. Beside anything else a port is not for us.
 */
export function hostChannel(host: Window): Channel {
  let partner = host as unknown as Partner;
  const deliver = (event: MessageEvent): void => channel.onmessage?.(event.data);
  const receive = (event: MessageEvent): void => {
    // The origin is read, though any will do, because Chromium clones lazily: who reads the data
    // first pays four to six times as much for a large message.
    if (event.source === host && event.origin) {
      if (event.data?.jsonrpc) for (partner of event.ports) partner.onmessage = deliver;
      deliver(event);
    }
  };
  const channel: Channel = {
    start: () => addEventListener("message", receive),
    close: () => removeEventListener("message", receive),
    send: (message) => partner.postMessage(message, { targetOrigin: "*" } as never),
  };
  return channel;
}
