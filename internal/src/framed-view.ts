/** Where a View's document lives: an origin of its own that is nobody's, or its embedder's. */
export type FrameOrigin = "opaque" | "same-origin";

const SANDBOX: Record<FrameOrigin, string> = {
  opaque: "allow-scripts",
  "same-origin": "allow-scripts allow-same-origin",
};

// The default policy of the specification: a View that works under it needs no grant and no eval.
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "object-src 'none'",
].join("; ");

/** A View's frame before and after it is in the document. */
export interface FramedView {
  frame: HTMLIFrameElement;
  window: Window;
  /** Loads the document; resolves when its scripts have run. */
  load(): Promise<void>;
  /** Gives the document one end of a port and returns the other. */
  openPort(): MessagePort;
  remove(): void;
}

/**
 * Puts an empty sandboxed frame into this page. The document is loaded separately, because a Host
 * has to listen before the View's first message.
 */
export function frameView(scripts: string[], origin: FrameOrigin, body = ""): FramedView {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", SANDBOX[origin]);
  document.body.append(frame);
  const window = frame.contentWindow as Window;
  return {
    frame,
    window,
    load: () =>
      new Promise((resolve) => {
        frame.addEventListener("load", () => resolve(), { once: true });
        frame.srcdoc = `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<body>${body}${scripts.map((script) => `<script type="module">${script}</script>`).join("")}`;
      }),
    openPort: () => {
      const { port1, port2 } = new MessageChannel();
      window.postMessage("port", "*", [port2]);
      return port1;
    },
    remove: () => frame.remove(),
  };
}
