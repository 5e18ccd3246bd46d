// The first script of every view's document, bundled into `../guard-script.ts`. It cancels browser
// actions that no header forbids: in Chromium, Alt+click and Alt+Enter on a link
// save its target, which is a request to any server (S9). It limits the entries that a view adds to
// the page's history (S42), and reports the use of storage to the relay (S44). It also reports uncaught
// errors and blocked requests, which help the view's author and protect nobody.
//
// The view's own scripts run next in the same global. So everything that is called later is captured
// now, nothing is left behind in the global, and no timer is used: ids of timers can be guessed.
// A view that creates its own realm (a frame) can evade it; see docs/security.md.

import { createAllowance } from "../relay/entry-allowance.ts";
import type { GuardReport } from "../relay/guard-link.ts";

/** Errors and blocked requests that are reported, and characters of each text. */
const REPORTS = 20;
const LONGEST = 500;

/** The members of the three events that are read. */
interface Fault {
  message?: string;
  reason?: { message?: unknown };
  effectiveDirective?: string;
  blockedURI: string;
}

/** Entries that a view may add at once, and in all without a user's action. */
const ENTRIES = 10;

const { apply } = Reflect;
const { addEventListener: listen } = EventTarget.prototype;
const { preventDefault } = Event.prototype;
const { postMessage } = MessagePort.prototype;
const { then } = Promise.prototype;
const { storage } = navigator;
const estimate = storage?.estimate;
const altKey = getterOf(MouseEvent.prototype, "altKey");
const targetOf = getterOf(Event.prototype, "target");
const contentWindow = getterOf(HTMLIFrameElement.prototype, "contentWindow");
// Not in every browser; without it only the relay watches the length of the history.
const navigationType = getterOf(window.NavigateEvent?.prototype ?? {}, "navigationType");
const { userActivation } = navigator;
const isActive = getterOf(window.UserActivation?.prototype ?? {}, "isActive");
let reports = REPORTS;
const { now } = Performance.prototype;
const { performance } = window;
const isTooMany = createAllowance(
  { most: ENTRIES, idleRate: 0 },
  {
    now: () => apply(now, performance, []),
    isActive: () => Boolean(userActivation && apply(isActive, userActivation, [])),
  },
);
// Only this script and the relay have an end of it.
const { port1: port, port2 } = new MessageChannel();

function getterOf(prototype: object, name: string): () => unknown {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
}

function report(fact: "history" | number | GuardReport): void {
  apply(postMessage, port, [fact]);
}

/** Every Alt+click, not only those on links: a link in a closed shadow root can't be seen here. */
function cancelSave(event: Event): void {
  try {
    if (apply(altKey, event, [])) apply(preventDefault, event, []);
  } catch {
    // An event of another class that the view named "click": it has no default action.
  }
}

/** A frame of the same origin is guarded from its load event on. */
function guardFrame(event: Event): void {
  try {
    guard(apply(contentWindow, apply(targetOf, event, []), []) as Window);
  } catch {
    // Not a frame, or one of another origin.
  }
}

/** Before the entry is added, so that a loop can't be faster than the relay. */
function limitEntries(event: Event): void {
  try {
    if (apply(navigationType, event, []) !== "push" || !isTooMany(1)) return;
    apply(preventDefault, event, []);
    report("history");
  } catch {
    // An event of another class that the view gave this name.
  }
}

function reportUsage({ usage }: StorageEstimate): void {
  if (usage !== undefined) report(usage);
}

/** Read as they are: a view that changes them deceives its own author, and the relay bounds all texts. */
function reportFault(event: Event & Fault): void {
  try {
    const { message, reason, effectiveDirective: directive, blockedURI: blocked } = event;
    if (reports-- < 1) return;
    if (directive) report({ directive, blocked });
    else report({ error: `${message ?? reason?.message ?? reason}`.slice(0, LONGEST) });
  } catch {
    // A reason that can't be read as text.
  }
}

function watchFaults(): void {
  apply(listen, window, ["error", reportFault]);
  apply(listen, window, ["unhandledrejection", reportFault]);
  apply(listen, document, ["securitypolicyviolation", reportFault, true]);
}

// Adding a listener twice has no effect, so this can run again at any time.
function guard(target: Window): void {
  if (WITHOUT !== "alt-click") {
    apply(listen, target, ["click", cancelSave, true]);
    apply(listen, target, ["auxclick", cancelSave, true]);
  }
  // The load events of frames don't reach the window.
  apply(listen, target.document, ["load", guardFrame, true]);
  const { navigation } = target;
  if (navigation && WITHOUT !== "history") apply(listen, navigation, ["navigate", limitEntries]);
}

guard(window);
watchFaults();
// `document.open()` removes all listeners, and all children with them.
new MutationObserver(() => {
  guard(window);
  watchFaults();
}).observe(document, { childList: true });
port.onmessage = () => {
  // It rejects where the view has no origin, and so no storage.
  if (estimate) apply(then, apply(estimate, storage, []), [reportUsage, () => {}]);
};
parent.postMessage({ vitrine: "guard" }, "*", [port2]);
document.currentScript?.remove();
