import type { ViewChannel } from "../bridge/view-channel.ts";

/** What the sandbox reports about a registered view. */
export interface RegistrationFacts {
  viewId: string;
  /** For `hostCapabilities.sandbox`. */
  grant: object;
  /** Every origin that can receive the view's data. */
  egress: readonly string[];
  /** The entries that were left out of its policy, with reasons. */
  rejected: readonly { list: string; value: string; code: string; reason: string }[];
  htmlHash: string;
  policyHash: string;
}

/** Events of the sandbox itself; a view can't send them. */
export type RelayEvent =
  | { registered: RegistrationFacts }
  | { killed: { code: string; detail: string } }
  | { violation: { directive: string; blocked: string } }
  | { dropped: { code: string; count: number } }
  /** The view didn't catch an error; the text is the view's. */
  | { failed: { message: string } }
  | { activity: boolean }
  | { held: true }
  /** Ours: the other end of the port is gone. */
  | { gone: true };

/** Messages of the host to the relay rather than the view. */
export type Control = { mount: true } | { activity: true } | { close: true };

/** The host's end of a relay's port. */
export interface PortLink {
  channel: ViewChannel;
  tell(control: Control): void;
  close(): void;
}

/** Sends messages to a view through the port that its relay sent. */
export function openPortLink(
  port: MessagePort,
  onRelayEvent: (event: RelayEvent) => void,
): PortLink {
  let early: unknown[] | undefined = [];
  let isClosed = false;

  const deliver = ({ act, text }: { act?: unknown; text?: unknown }): void => {
    let message: unknown;
    try {
      message = JSON.parse(text as string);
    } catch {
      return;
    }
    state.userActive = act === true;
    try {
      channel.onmessage?.(message);
    } finally {
      // The gesture of one message must not count for another.
      state.userActive = false;
    }
  };

  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    port.close();
    channel.onclose?.();
  };

  port.onmessage = ({ data }) => {
    if (isClosed) return;
    if (typeof data?.text !== "string") onRelayEvent(data);
    // Events are read from the beginning; a view's messages wait for a listener.
    else if (early) early.push(data);
    else deliver(data);
  };
  // Not in every browser; a frame that loads another page shows it as well.
  port.addEventListener("close", () => {
    if (!isClosed) onRelayEvent({ gone: true });
    finish();
  });

  const state = { userActive: false };
  const channel: ViewChannel = {
    get userActive() {
      return state.userActive;
    },
    start: () => {
      const envelopes = early ?? [];
      early = undefined;
      for (const envelope of envelopes) deliver(envelope as object);
    },
    // Text takes a third or a fourth of the time of an object, and a view that supports it parses it
    // itself.
    send: (message) => port.postMessage({ text: JSON.stringify(message) }),
    close: finish,
  };
  return { channel, tell: (control) => port.postMessage(control), close: finish };
}
