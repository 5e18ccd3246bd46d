import { INVALID_REQUEST, isRequestId } from "@vitrine/protocol";
import { mountFrame } from "./frame.ts";
import { isReserved, type Refusal } from "./gate.ts";
import { type HostLink, type KillCode, openPortLink, openWindowLink } from "./host-link.ts";
import { createInspection } from "./inspection.ts";
import { showNotice } from "./notice.ts";
import { RELAY_LIMITS, type RelayLimits, type ViewPage } from "./page-settings.ts";
import { openViewLink } from "./view-link.ts";

const REASONS: Record<KillCode, (detail: string) => string> = {
  navigation: (target) => `It tried to leave for ${target}.`,
  flood: () => "It sent too many messages.",
  oversize: (what) => `It sent ${what}.`,
  closed: () => "The host closed it.",
};

/** A second: how often the Host hears of dropped messages at most. */
const REPORT_TIME = 1000;

const LONGEST_ID = 128;

/** One View from its first byte to its end, and all that passes between it and the Host. */
export function openSession(page: ViewPage, host: string): void {
  const limits: RelayLimits = { ...RELAY_LIMITS, ...page.limits };
  const inspect = createInspection(limits);
  const openLink = page.mode === "port" ? openPortLink : openWindowLink;
  let alive = true;
  let held = page.hold === true;
  let isLoaded = false;
  let isWanted = false;
  // Nothing passes in either direction while a View is held: there is none yet.
  const isOpen = (): boolean => alive && (!held || WITHOUT === "hold");

  const stop = (code: KillCode, detail = ""): void => {
    if (!alive) return;
    alive = false;
    viewLink.close();
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
      if (isOpen() && !isReserved(message)) viewLink.post(message);
    },
    text: (text) => {
      // What is no JSON throws, and the Host's author finds it in the console.
      if (isOpen() && !isReserved(text)) viewLink.post(viewLink.isPort ? text : JSON.parse(text));
    },
    mount: () => {
      isWanted = true;
      mount();
    },
    close: () => stop("closed"),
  });
  if (page.registered) link.tell({ registered: page.registered });
  const view = mountFrame(page, () => {
    if (!held || isLoaded) return;
    isLoaded = true;
    link.tell({ held: true });
    mount();
  });
  const mount = (): void => {
    // Before its document has loaded nobody there would hear it.
    if (!alive || !held || !isLoaded || !isWanted) return;
    held = false;
    view.window.postMessage({ vitrine: "mount" }, view.target);
  };
  const viewLink = openViewLink(view, (event) => {
    if (!isOpen()) return;
    const finding = inspect(event);
    if ("text" in finding) link.relay(finding.text);
    else if ("stop" in finding) stop(finding.stop, finding.detail);
    // Of what came too fast not even the id is read.
    else refuse(finding.refusal, finding.refusal === "rate" ? undefined : event.data);
  });
  const refuse = createRefusal(link, viewLink.post);
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
