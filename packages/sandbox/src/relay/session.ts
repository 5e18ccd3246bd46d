import { INVALID_REQUEST, isRequestId } from "@vitrine/protocol";
import { mountFrame, type ViewFrame } from "./frame.ts";
import { isReserved, judge, type Refusal } from "./gate.ts";
import { type HostLink, type KillCode, openPortLink, openWindowLink } from "./host-link.ts";
import { showNotice } from "./notice.ts";
import { RELAY_LIMITS, type RelayLimits, type ViewPage } from "./page-settings.ts";
import { TokenBucket } from "./token-bucket.ts";

const REASONS: Record<KillCode, (detail: string) => string> = {
  navigation: (target) => `It tried to leave for ${target}.`,
  flood: () => "It sent too many messages.",
  closed: () => "The host closed it.",
};

/** A second: how often the Host hears of dropped messages at most. */
const REPORT_TIME = 1000;

const LONGEST_ID = 128;

/** One View from its first byte to its end, and all that passes between it and the Host. */
export function openSession(page: ViewPage, host: string): void {
  const limits: RelayLimits = { ...RELAY_LIMITS, ...page.limits };
  const bucket = new TokenBucket(limits, performance.now());
  const openLink = page.mode === "port" ? openPortLink : openWindowLink;
  let alive = true;

  const stop = (code: KillCode, detail = ""): void => {
    if (!alive) return;
    alive = false;
    view.remove();
    link.tell({ killed: { code, detail } });
    const advice = "To use it again, reload it from the host.";
    showNotice({ title: "This app was stopped", reason: REASONS[code](detail), advice });
  };

  // Before the frame, whose first navigation is watched as well.
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.disposition !== "enforce" || event.effectiveDirective !== "frame-src") return;
    // The origin alone: what a View would smuggle out stands in the rest.
    const blocked = /^\w+:\/\/[^/]+/.exec(event.blockedURI)?.[0] ?? event.blockedURI.slice(0, 64);
    link.tell({ violation: { directive: "frame-src", blocked } });
    if (WITHOUT !== "kill") stop("navigation", blocked);
  });

  const link: HostLink = openLink(host, {
    message: (message) => {
      // Exact target: a document that took the View's place must not hear what was meant for it.
      if (alive && !isReserved(message)) post(message);
    },
    close: () => stop("closed"),
  });
  const view = mountFrame(page);
  const post = (message: unknown): void =>
    view.window.postMessage(message, view.origin === "null" ? "*" : view.origin);
  const refuse = createRefusal(link, post);

  addEventListener("message", (event) => {
    if (!alive || !isFrom(view, event)) return;
    const pace = WITHOUT === "rate" ? "pass" : bucket.take(performance.now());
    if (pace === "stop") return stop("flood");
    if (pace === "drop") return refuse("rate");
    const verdict = event.ports.length > 0 ? closePorts(event) : judge(event.data, limits);
    if ("message" in verdict) return link.relay(verdict.message);
    bucket.charge();
    refuse(verdict.refusal, event.data);
  });
}

/**
 * Source and origin, for every message and before its data (SBX-15): nested frames, siblings and the
 * top page can all post to this window, and so can whatever page a View was replaced by.
 */
function isFrom(view: ViewFrame, { source, origin }: MessageEvent): boolean {
  const isSource = WITHOUT === "source" ? source !== parent : source === view.window;
  return isSource && (WITHOUT === "origin" || origin === view.origin);
}

/** A port would be a way past every check that follows. */
function closePorts({ ports }: MessageEvent): { refusal: Refusal } {
  for (const port of ports) port.close();
  return { refusal: "not-json" };
}

/** Tells both sides of a message that went nowhere; silence would cost an author an afternoon. */
function createRefusal(
  link: HostLink,
  post: (message: unknown) => void,
): (code: Refusal | "rate", data?: unknown) => void {
  let count = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (code, data) => {
    count += 1;
    const now = performance.now();
    if (now - toldAt >= REPORT_TIME) {
      link.tell({ dropped: { code, count } });
      toldAt = now;
      count = 0;
    }
    // An answer, so that the View's request fails now and not after its timeout. A long id is not
    // one; it would only make us copy what we have just refused.
    const { id, method } = Object(data);
    if (typeof method === "string" && isRequestId(id) && `${id}`.length <= LONGEST_ID) {
      const message = `The sandbox did not relay this request: ${code}.`;
      post({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } });
    }
  };
}
