/** One frame of the test's host page. */
export interface MountedView {
  readonly name: string;
  /** The sandbox's proxy page for this view. */
  readonly url: string;
  /** Where its messages must come from; `"null"` when the sandbox is opaque. */
  readonly origin: string;
  readonly sandbox?: string | undefined;
  readonly allow?: string | undefined;
}

/** What the host page remembers, readable as `window.redteam`. */
export interface HostRecord {
  readonly log: LogLine[];
  readonly frames: Record<string, HTMLIFrameElement>;
  readonly ports: Record<string, MessagePort>;
  /** Window messages that were not the one port of one of our frames. */
  uninvited: number;
  /** Longest time the host's own 20 ms timer was late, in ms. */
  pause: number;
}

export interface LogLine {
  readonly view: string;
  readonly at: number;
  readonly seq?: number;
  readonly act?: boolean;
  /** The View's message, out of its text. */
  readonly msg?: { id?: unknown; method?: string; params?: Record<string, unknown> };
  readonly killed?: { code: string; detail?: string };
  readonly dropped?: { code: string; count: number };
  readonly violation?: unknown;
}

declare global {
  interface Window {
    redteam: HostRecord;
  }
}

/**
 * The host half of the contract, as small as it can be: frames in closed shadow roots, one port per
 * frame, everything else counted and never read.
 */
export function hostPage(views: readonly MountedView[]): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>host</title></head><body style="margin:0"><script>(${hostScript.toString()})(${JSON.stringify(views).replaceAll("<", "\\u003c")})</script></body></html>`;
}

function hostScript(views: readonly MountedView[]): void {
  const record: HostRecord = { log: [], frames: {}, ports: {}, uninvited: 0, pause: 0 };
  window.redteam = record;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    record.pause = Math.max(record.pause, now - last);
    last = now;
  }, 20);
  addEventListener("message", (event) => {
    // Source and origin first: reading `data` of a hostile message is itself the attack.
    const view = views.find(({ name }) => record.frames[name]?.contentWindow === event.source);
    const port = event.ports[0];
    if (!view || event.origin !== view.origin || !port || record.ports[view.name]) {
      record.uninvited += 1;
      return;
    }
    record.ports[view.name] = port;
    port.onmessage = ({ data: { text, ...event } }) => {
      // An object only from a relay that was built without its way through JSON.
      const { id, method, params } = (typeof text === "string" ? JSON.parse(text) : text) ?? {};
      // Only what checks look at: a record with a hundred megabytes in it could not be read out.
      const { logger, data: said, name } = params ?? {};
      const msg = text && { id, method, params: { logger, data: said, name } };
      record.log.push({ ...event, view: view.name, at: performance.now(), msg });
    };
  });
  for (const view of views) {
    const frame = document.createElement("iframe");
    if (view.sandbox !== undefined) frame.setAttribute("sandbox", view.sandbox);
    if (view.allow) frame.allow = view.allow;
    frame.referrerPolicy = "origin";
    frame.style.cssText = "width:380px;height:260px;border:0";
    frame.src = view.url;
    record.frames[view.name] = frame;
    const holder = document.createElement("div");
    holder.style.cssText = "display:inline-block;width:380px;height:260px";
    holder.attachShadow({ mode: "closed" }).append(frame);
    document.body.append(holder);
  }
}
