import type { Channel } from "./channel.ts";

interface PortMessageEvent {
  readonly data: unknown;
}

/** The part of a browser's or Node's `MessagePort` that we use. */
export interface PortLike {
  postMessage(message: unknown): void;
  addEventListener(type: "message" | "close", listener: (event: PortMessageEvent) => void): void;
  start?(): void;
  close(): void;
}

/**
 * A channel over a `MessagePort`. A port is private to its two ends, so there is no source to check. A
 * round trip takes a quarter of the time of window messages. Whether the other end is notified of a
 * close depends on the runtime: in Node it is, in Chromium it isn't.
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
