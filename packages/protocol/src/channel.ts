import type { JsonRpcMessage } from "./json-rpc.ts";

/**
 * One hop of the road: View, Sandbox, Host and Gateway each speak through a channel, and nothing
 * above it knows which kind runs. A channel moves messages and checks where they come from; it does
 * not read them, so what `onmessage` gets is unknown and hostile.
 *
 * The shape is the one that the official SDK's transports have, so that each of them is a channel as
 * it stands.
 */
export interface Channel {
  /** Set by whoever listens, before `start`. */
  // biome-ignore lint/suspicious/noExplicitAny: what arrives is unknown, yet official transports that type it must fit.
  onmessage?: ((message: any) => void) | undefined;
  /** Set by whoever listens; called once when the channel closes, where it can tell. */
  onclose?: (() => void) | undefined;
  /** Begins to deliver. */
  start?(): unknown;
  /** Throws or rejects when the message cannot be sent. */
  send(message: JsonRpcMessage): unknown;
  /** Idempotent. */
  close(): unknown;
}

/** Two channels joined back to back; delivery is asynchronous, as on every real one. */
export function linkedChannels(): [Channel, Channel] {
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    for (const end of [left, right]) end.onclose?.();
  };
  const createEnd = (other: () => Channel): Channel => ({
    close,
    send: (message) => {
      if (!open) throw new TypeError("The linked channel is closed.");
      queueMicrotask(() => {
        if (open) other().onmessage?.(message);
      });
    },
  });
  const left: Channel = createEnd(() => right);
  const right: Channel = createEnd(() => left);
  return [left, right];
}
