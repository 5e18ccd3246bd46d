import type { ViewChannel } from "../bridge/view-channel.ts";

/** What the Sandbox knows of a View that it has taken in. */
export interface RegistrationFacts {
  viewId: string;
  /** For `hostCapabilities.sandbox`. */
  grant: object;
  /** Every origin that can learn what the View knows. */
  egress: readonly string[];
  /** What was left out of its policy, with reasons. */
  rejected: readonly { list: string; value: string; code: string; reason: string }[];
  htmlHash: string;
  policyHash: string;
}

/** What the Sandbox itself has to say; a View cannot say it. */
export type News =
  | { registered: RegistrationFacts }
  | { killed: { code: string; detail: string } }
  | { violation: { directive: string; blocked: string } }
  | { dropped: { code: string; count: number } }
  | { activity: boolean }
  | { held: true }
  /** Ours: nobody is at the other end any more. */
  | { gone: true };

/** What the Host says to the relay and not to the View. */
export type Control = { mount: true } | { activity: true } | { close: true };

/** The Host's end of a relay's port. */
export interface PortLink {
  channel: ViewChannel;
  tell(control: Control): void;
  close(): void;
}

/** Speaks to a View through the port that its relay handed over. */
export function openPortLink(port: MessagePort, onNews: (news: News) => void): PortLink {
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
      // Nobody may take the gesture of one message for that of another.
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
    if (typeof data?.text !== "string") onNews(data);
    // News count from the beginning; what a View says waits for somebody who listens.
    else if (early) early.push(data);
    else deliver(data);
  };
  // Not in every browser; a frame that loads another page tells as well.
  port.addEventListener("close", () => {
    if (!isClosed) onNews({ gone: true });
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
    // Text is a third or a fourth of what an object costs, and a View that can reads it itself.
    send: (message) => port.postMessage({ text: JSON.stringify(message) }),
    close: finish,
  };
  return { channel, tell: (control) => port.postMessage(control), close: finish };
}
