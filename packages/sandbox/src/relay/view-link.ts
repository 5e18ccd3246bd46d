import type { ViewFrame } from "./frame.ts";

/** The connection to the View. */
export interface ViewLink {
  /** Whether the View uses the port; such a View also accepts JSON text. */
  readonly isPort: boolean;
  post(message: unknown): void;
  close(): void;
}

/**
 * Connects to the View with window messages, as in the specification. The first message carries a
 * port. If the View answers over it, as our SDK does, the relay uses the port from then on, at a
 * quarter of the cost; other Views ignore it. Messages over the port are checked like others; they
 * are the View's, because only its document has the other end.
 */
export function openViewLink(view: ViewFrame, receive: (event: MessageEvent) => void): ViewLink {
  const { port1: port, port2 } = new MessageChannel();
  const offer = [port2];
  let isPort = false;
  addEventListener("message", (event) => {
    if (isFrom(view, event)) receive(event);
  });
  port.onmessage = (event) => {
    isPort = true;
    receive(event);
  };
  return {
    get isPort() {
      return isPort;
    },
    post: (message) => {
      if (isPort) port.postMessage(message);
      else view.window.postMessage(message, view.target, offer.splice(0));
    },
    close: () => port.close(),
  };
}

/**
 * Source and origin, for every message and before its data (SBX-15): nested frames, siblings and the
 * top page can all post to this window, and so can whatever page a View was replaced by.
 */
function isFrom(view: ViewFrame, { source, origin }: MessageEvent): boolean {
  const isSource = WITHOUT === "source" ? source !== parent : source === view.window;
  return isSource && (WITHOUT === "origin" || origin === view.origin);
}
