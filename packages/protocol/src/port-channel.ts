import type { Channel } from "./channel.ts";

interface PortMessageEvent {
  readonly data: unknown;
}

/** A browser or Node `MessagePort`, by the part we use. */
export interface PortLike {
  postMessage(message: unknown): void;
  addEventListener(type: "message" | "close", listener: (event: PortMessageEvent) => void): void;
  start?(): void;
  close(): void;
}

/**
 * A channel over a `MessagePort`. A port is private to the two who hold it, so there is no source
 * to check; a round trip was measured at a quarter of the same one between windows. Whether the far
 * end hears of a close is up to the runtime: Node tells it, Chromium does not.
 */
export function portChannel(port: PortLike): Channel {
  let closed = false;
  const finish = (): void => {
    if (closed) return;
    closed = true;
    channel.onclose?.();
  };
  const channel: Channel = {
    start: () => {
      port.addEventListener("message", (event) => {
        if (!closed) channel.onmessage?.(event.data);
      });
      port.addEventListener("close", finish);
      port.start?.();
    },
    send: (message) => port.postMessage(message),
    close: () => {
      port.close();
      finish();
    },
  };
  return channel;
}
