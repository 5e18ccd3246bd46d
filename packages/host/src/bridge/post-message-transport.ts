import type { Channel, JsonRpcMessage } from "@vitrine/protocol";

/**
 * The official name for the channel to a window, for pages that frame views themselves and connect an
 * `AppBridge`: `new PostMessageTransport(iframe.contentWindow, iframe.contentWindow)`. It checks which
 * window a message comes from. The sandbox of the frame is then yours: `createHost` brings its own.
 */
export class PostMessageTransport implements Channel {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: unknown) => void;
  readonly #target: Window;
  readonly #source: MessageEventSource;
  #listening: AbortController | undefined;

  constructor(eventTarget: Window = window.parent, eventSource: MessageEventSource = eventTarget) {
    this.#target = eventTarget;
    this.#source = eventSource;
  }

  async start(): Promise<void> {
    if (this.#listening) return;
    this.#listening = new AbortController();
    const receive = ({ source, data }: MessageEvent): void => {
      // Other windows, and whatever else a page sends: `AppBridge` only gets JSON-RPC.
      if (source === this.#source && Object(data).jsonrpc === "2.0") this.onmessage?.(data);
    };
    addEventListener("message", receive, { signal: this.#listening.signal });
  }

  /** To any origin, because a view's origin may be opaque: check it by the frame's address. */
  async send(message: JsonRpcMessage): Promise<void> {
    this.#target.postMessage(message, "*");
  }

  async close(): Promise<void> {
    if (!this.#listening || this.#listening.signal.aborted) return;
    this.#listening.abort();
    this.onclose?.();
  }
}
