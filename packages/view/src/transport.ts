import type { Channel, JsonRpcMessage } from "@vitrine/protocol";
import { hostChannel } from "./host-channel.ts";

/** The official name for the channel to a parent window, for pages that construct it themselves. */
export class PostMessageTransport implements Channel {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: unknown) => void;
  readonly #channel: Channel;

  /** `eventSource`, whose messages are accepted, is the window we send to: a View has only one partner. */
  constructor(eventTarget: Window = window.parent, _eventSource?: MessageEventSource) {
    this.#channel = hostChannel(eventTarget);
  }

  async start(): Promise<void> {
    this.#channel.onmessage = (message) => this.onmessage?.(message);
    this.#channel.start?.();
  }

  async send(message: JsonRpcMessage): Promise<void> {
    this.#channel.send(message);
  }

  async close(): Promise<void> {
    this.#channel.close();
    this.onclose?.();
  }
}
