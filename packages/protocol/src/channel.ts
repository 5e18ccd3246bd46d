import type { JsonRpcMessage } from "./json-rpc.ts";

/**
 * Carries messages between two of View, Sandbox, Host and Gateway. The code above a channel doesn't
 * depend on its kind. A channel checks where messages come from but doesn't read them, so the argument
 * of `onmessage` is unknown and hostile.
 *
 * It has the shape of the official SDK's transports, so that each of them is a channel.
 */
export interface Channel {
  /** Set it before `start`. */
  // biome-ignore lint/suspicious/noExplicitAny: what arrives is unknown, yet official transports that type it must fit.
  onmessage?: ((message: any) => void) | undefined;
  /** Called once when the channel closes, if the channel can detect that. */
  onclose?: (() => void) | undefined;
  /** Starts delivering messages. */
  start?(): unknown;
  /** Throws or rejects when the message cannot be sent. */
  send(message: JsonRpcMessage): unknown;
  /** Idempotent. */
  close(): unknown;
}

/** Two connected channels; delivery is asynchronous, as on every real channel. */
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
