// A hand-written Host, as small as the specification allows, which keeps the messages it receives.

/** A message that reached the Host's window or its port. */
export interface Received {
  /** Which of the Sandboxes sent it; −1 for any other window. */
  frame: number;
  by: "window" | "port";
  origin: string;
  ports: number;
  data: unknown;
}

/** What a test can do in the Host's page. */
export interface HandHost {
  received: Received[];
  /** Milliseconds of the longest task, during which the page could do nothing else. */
  worstPause: number;
  /** Milliseconds that a timer of 20 was late at most; a test may set it back. */
  worstBeat: number;
  /** Embeds a Sandbox; with a resource, hands it over when the Sandbox is ready. */
  embed(url: string, sandbox: string, resource?: unknown): void;
  /** Sends to a Sandbox over its port or, where there is none, by window message. */
  send(message: unknown, frame?: number): void;
  /** Sends by window message in any case. */
  post(message: unknown): void;
  /** The View's message in what was received, out of its envelope. */
  read(data: unknown): { method?: string } | undefined;
  /** Removes the frames. */
  remove(): void;
}

declare global {
  interface Window {
    host: HandHost;
  }
}

const LARGEST_KEPT = 100_000;
const READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE = "ui/notifications/sandbox-resource-ready";

const frames: HTMLIFrameElement[] = [];
const ports: MessagePort[] = [];
const resources: unknown[] = [];

/** The parts of a message that a test reads, for every kind of sender. */
function describe(data: unknown): unknown {
  const params = (data as { params?: Record<string, unknown> } | null)?.params;
  const exotic = Object.values(Object(params))
    .slice(0, 20)
    .map((value) => Object.prototype.toString.call(value).slice(8, -1))
    .filter((tag) => ["Map", "Blob", "BigInt", "ArrayBuffer"].includes(tag));
  if (exotic.length > 0) return { exotic };
  let text: string;
  try {
    text = JSON.stringify(data) ?? "undefined";
  } catch (error) {
    return { unserializable: (error as Error).name };
  }
  if (text.length <= LARGEST_KEPT || "seq" in Object(data)) return data;
  return { method: (data as { method?: string }).method, size: text.length };
}

function keep(event: MessageEvent, frame: number, by: "window" | "port"): void {
  const { origin, ports, data } = event;
  window.host.received.push({ frame, by, origin, ports: ports.length, data: describe(data) });
}

function post(frame: number, message: unknown): void {
  frames[frame]?.contentWindow?.postMessage(message, "*");
}

addEventListener("message", (event) => {
  const frame = frames.findIndex(({ contentWindow }) => contentWindow === event.source);
  keep(event, frame, "window");
  if (frame < 0) return;
  const [port] = event.ports;
  if (port && !ports[frame]) {
    ports[frame] = port;
    port.onmessage = (message) => keep(message, frame, "port");
  }
  if (event.data?.method === READY && resources[frame]) {
    post(frame, { jsonrpc: "2.0", method: RESOURCE, params: resources[frame] });
  }
});

window.host = {
  received: [],
  worstPause: 0,
  worstBeat: 0,
  embed(url, sandbox, resource) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", sandbox);
    frame.setAttribute("style", "width:100%;height:200px;border:0");
    frame.src = url;
    frames.push(frame);
    resources.push(resource);
    document.body.append(frame);
  },
  send(message, frame = 0) {
    const port = ports[frame];
    if (port) port.postMessage(message);
    else post(frame, message);
  },
  post: (message) => post(0, message),
  read(data) {
    const { seq, text } = Object(data);
    if (seq === undefined) return Object(data);
    // An object only where a test took the way through JSON out of the relay.
    return typeof text === "string" ? JSON.parse(text) : text;
  },
  remove: () => {
    for (const frame of frames) frame.remove();
  },
};

// Tasks and not the gaps between timers: those also grow when the machine has other work.
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    window.host.worstPause = Math.max(window.host.worstPause, duration);
  }
}).observe({ type: "longtask" });

// The gaps as well, where a test wants to know how the page fared and not only who kept it busy.
const BEAT = 20;
let beatAt = performance.now();
setInterval(() => {
  const now = performance.now();
  window.host.worstBeat = Math.max(window.host.worstBeat, now - beatAt - BEAT);
  beatAt = now;
}, BEAT);
