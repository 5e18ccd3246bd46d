import type { ViewFrame } from "./frame.ts";

/** The way to the View. */
export interface ViewLink {
  /** Whether the View has taken the port; who does that reads JSON text as well. */
  readonly isPort: boolean;
  post(message: unknown): void;
  close(): void;
}

/**
 * Speaks to the View by window messages, as the specification has it. Beside the first of them lies a
 * port. A View that takes no notice of it goes on as before; one that answers over it, as ours does,
 * is spoken to there from then on, at a quarter of the cost. What comes over the port is looked at
 * like all else: it is the View's, since nobody but its document was given the other end.
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
