import type { Channel, JsonRpcMessage } from "@vitrine/protocol";

/** The part of a WebSocket that is used; the browser's and that of `ws` both fit. */
export interface SocketLike {
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** A channel of text frames between the stage's page and this process. */
export function socketChannel(socket: SocketLike): Channel {
  const channel: Channel = {
    start: () => {
      socket.onmessage = ({ data }) => {
        let message: unknown;
        try {
          message = JSON.parse(String(data));
        } catch {
          return;
        }
        channel.onmessage?.(message as JsonRpcMessage);
      };
      socket.onclose = () => channel.onclose?.();
    },
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  return channel;
}
