import { INVALID_REQUEST, isRequestId } from "@vitrine/protocol";
import { clearStorage, mountFrame } from "./frame.ts";
import { isReserved, type Refusal } from "./gate.ts";
import { openGuardLink, originIn } from "./guard-link.ts";
import { createHistoryWatch } from "./history-watch.ts";
import { type HostLink, type KillCode, openPortLink, openWindowLink } from "./host-link.ts";
import { createInspection } from "./inspection.ts";
import { showNotice } from "./notice.ts";
import { RELAY_LIMITS, type RelayLimits, type ViewPage } from "./page-settings.ts";
import { openViewLink } from "./view-link.ts";

const REASONS: Record<KillCode, (detail: string) => string> = {
  navigation: (target) => `It tried to navigate to ${target}.`,
  flood: () => "It sent too many messages.",
  oversize: (what) => `It sent ${what}.`,
  history: () => "It added too many entries to the browser's history.",
  storage: (what) => `It stored ${what}.`,
  closed: () => "The host closed it.",
};

/** Milliseconds between two checks of the history, and of the storage. */
const HISTORY_TIME = 250;
const STORAGE_TIME = 3000;

/** A second: the Host is notified of dropped messages at most this often. */
const REPORT_TIME = 1000;

const LONGEST_ID = 128;

/** One View from load to removal, and all messages between it and the Host. */
export function openSession(page: ViewPage, host: string): void {
  const limits: RelayLimits = { ...RELAY_LIMITS, ...page.limits };
  const inspect = createInspection(limits);
  const openLink = page.mode === "port" ? openPortLink : openWindowLink;
  let alive = true;
  let held = page.hold === true;
  let isLoaded = false;
  let isWanted = false;
  // No messages pass in either direction while a View is held: it doesn't run yet.
  const isOpen = (): boolean => alive && (!held || WITHOUT === "hold");

  const stop = (code: KillCode, detail = ""): void => {
    if (!alive) return;
    alive = false;
    for (const timer of timers) clearInterval(timer);
    viewLink.close();
    guard.close();
    view.remove();
    link.report({ killed: { code, detail } });
    const advice = "To use it again, reload it from the host.";
    showNotice({ title: "This app was stopped", reason: REASONS[code](detail), advice });
    if (code === "storage") clearStorage(page);
  };

  // Before the frame is added, because its first navigation is watched as well.
  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.disposition !== "enforce" || event.effectiveDirective !== "frame-src") return;
    const blocked = originIn(event.blockedURI);
    link.report({ violation: { directive: "frame-src", blocked } });
    if (WITHOUT !== "kill") stop("navigation", blocked);
  });

  const link: HostLink = openLink(host, {
    message: (message) => {
      if (isOpen() && !isReserved(message)) viewLink.post(message);
    },
    text: (text) => {
      // Text that isn't JSON throws, and the Host's author sees it in the console.
      if (isOpen() && !isReserved(text)) viewLink.post(viewLink.isPort ? text : JSON.parse(text));
    },
    mount: () => {
      isWanted = true;
      mount();
    },
    close: () => stop("closed"),
  });
  if (page.registered) link.report({ registered: page.registered });
  const view = mountFrame(page, () => {
    if (!held || isLoaded) return;
    isLoaded = true;
    link.report({ held: true });
    mount();
  });
  const mount = (): void => {
    // Before its document has loaded, it has no listener.
    if (!alive || !held || !isLoaded || !isWanted) return;
    held = false;
    view.window.postMessage({ vitrine: "mount" }, view.target);
  };
  const isFilled = createHistoryWatch(limits);
  const guard = openGuardLink({
    history: () => stop("history"),
    usage: (bytes) => {
      if (bytes > limits.storage && WITHOUT !== "storage")
        stop("storage", megabytes(limits.storage));
    },
    error: (message) => link.report({ failed: { message } }),
    violation: (directive, blocked) => link.report({ violation: { directive, blocked } }),
  });
  const timers = [
    setInterval(() => {
      if (isFilled() && WITHOUT !== "history") stop("history");
    }, HISTORY_TIME),
    setInterval(guard.ask, STORAGE_TIME),
  ];
  const viewLink = openViewLink(view, (event) => {
    if (!isOpen() || guard.take(event)) return;
    const finding = inspect(event);
    if ("text" in finding) link.relay(finding.text);
    else if ("stop" in finding) stop(finding.stop, finding.detail);
    // Of messages above the rate not even the id is read.
    else refuse(finding.refusal, finding.refusal === "rate" ? undefined : event.data);
  });
  const refuse = createRefusal(link, viewLink.post);
}

function megabytes(bytes: number): string {
  return `more than ${Number((bytes / 2 ** 20).toPrecision(2))} MB`;
}

/** Notifies both sides of a dropped message, so that authors can find the reason. */
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
      link.report({ dropped: { code, count } });
      toldAt = now;
      count = 0;
    }
    // A response, so that the View's request fails now and not after its timeout. A long id is
    // invalid, and copying it would defeat the limit.
    const { id, method } = Object(data);
    if (typeof method === "string" && isRequestId(id) && `${id}`.length <= LONGEST_ID) {
      const message = `The sandbox didn't relay this request: ${code}.`;
      post({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } });
    }
  };
}
