import type { ViewPage } from "./page-settings.ts";

// All flags that a View can get. Popups, downloads, dialogs and navigation of other frames are left
// out: each was an escape from some host's sandbox.
const HARMLESS = ["allow-scripts", "allow-same-origin", "allow-forms"];

/** The View's frame, and where its messages come from. */
export interface ViewFrame {
  window: Window;
  origin: string;
  /** The target origin of messages to it: a page that replaced it must not receive them. */
  target: string;
  remove(): void;
}

/** The flags of the View's frame: those asked for that are harmless (SBX-14). */
export function sandboxFlags({ origin, sandbox }: ViewPage): string[] {
  const asked = sandbox?.toLowerCase().split(/\s+/) ?? HARMLESS;
  if (WITHOUT === "sandbox-tokens") return asked;
  return HARMLESS.filter(
    // If the View shares the Host's domain, its own origin would be the Host's.
    (flag) => asked.includes(flag) && !(flag === "allow-same-origin" && origin === "null"),
  );
}

/** Loads the View's document and reports each load: the first one, and another when the document is written. */
export function mountFrame(page: ViewPage, onLoad: () => void): ViewFrame {
  const flags = sandboxFlags(page);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", flags.join(" "));
  frame.allow = page.allow ?? "";
  frame.referrerPolicy = "no-referrer";
  frame.title = "App";
  frame.src = page.view;
  frame.onload = onLoad;
  frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
  const shade = document.createElement("div");
  // In a closed shadow root a frame is not in `window.frames`, so no other View can find this one.
  // Firefox lists it anyway; there only the checks of source and origin protect it (SBX-15).
  shade.attachShadow({ mode: "closed" }).append(frame);
  document.body.append(shade);
  // Kept, because a removed frame has no window and `null` would equal the source of its last words.
  const window = frame.contentWindow as Window;
  const origin = flags.includes("allow-same-origin") ? page.origin : "null";
  return {
    window,
    origin,
    target: origin === "null" ? "*" : origin,
    remove: () => shade.remove(),
  };
}

/** Loads the address that clears the view's storage; the frame goes with the page. */
export function clearStorage({ clear }: ViewPage): void {
  if (!clear) return;
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = clear;
  document.body.append(frame);
}
