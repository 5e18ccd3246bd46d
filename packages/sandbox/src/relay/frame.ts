import type { ViewPage } from "./page-settings.ts";

// All that a View ever gets. Popups, downloads, dialogs and any navigation of others are left out:
// each was a way out of some host's sandbox.
const HARMLESS = ["allow-scripts", "allow-same-origin", "allow-forms"];

/** The View's frame, and where its messages come from. */
export interface ViewFrame {
  window: Window;
  origin: string;
  /** For messages to it: what took its place must not hear what was meant for it. */
  target: string;
  remove(): void;
}

/** The flags of the View's frame: those asked for that are harmless (SBX-14). */
export function sandboxFlags({ origin, sandbox }: ViewPage): string[] {
  const asked = sandbox?.toLowerCase().split(/\s+/) ?? HARMLESS;
  if (WITHOUT === "sandbox-tokens") return asked;
  return HARMLESS.filter(
    // Where the View shares the Host's domain, an origin of its own would be the Host's.
    (flag) => asked.includes(flag) && !(flag === "allow-same-origin" && origin === "null"),
  );
}

/** Loads the View's document; tells when it has loaded, which it does again once it was written. */
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
  // Firefox lists it all the same; there the checks of source and origin stand alone (SBX-15).
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
