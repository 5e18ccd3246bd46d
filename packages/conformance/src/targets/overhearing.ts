// What passes by window message around a View: in the Host's page, and in the frames in between.

import type { BrowserContext } from "playwright-core";
import type { Json } from "../json.ts";

/** A message that came to a window. */
export interface Overheard {
  /** Milliseconds since 1970. */
  at: number;
  /** Frames above this window: 0 is the Host's page. */
  depth: number;
  /** Where the window is, and where the message is from. */
  origin: string;
  from: string;
  message: Json;
}

/** Listens in every window, before any script of its page. */
export async function overhear(
  context: BrowserContext,
  { overheard, saved }: { overheard: Overheard[]; saved: string[] },
): Promise<void> {
  await context.exposeBinding("conformanceOverheard", (_, some: Overheard[]) => {
    overheard.push(...some);
  });
  await context.exposeBinding("conformanceSaved", (_, name) => void saved.push(name));
  await context.addInitScript(listen);
}

/** In every window. */
function listen(): void {
  let depth = 0;
  for (let one: Window = window; one !== one.parent; one = one.parent) depth++;
  if (depth === 0) {
    // Selectors and the suite's eyes reach no further than open roots; Views see nothing of this.
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (options) {
      return attachShadow.call(this, { ...options, mode: "open" });
    };
    // The name that the Host gives a file: the browser makes a harmless one of it.
    const { click } = HTMLElement.prototype;
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      const { conformanceSaved } = window as unknown as {
        conformanceSaved?: (name: string) => void;
      };
      if (this.hasAttribute("download")) conformanceSaved?.(this.download);
      click.call(this);
    };
  }
  let count = 0;
  let kept: Overheard[] = [];
  const tell = (): void => {
    const { conformanceOverheard } = window as unknown as {
      conformanceOverheard?: (some: Overheard[]) => void;
    };
    conformanceOverheard?.(kept);
    kept = [];
  };
  addEventListener("message", ({ data, origin: from }) => {
    if (typeof data !== "object" || data === null || data.jsonrpc !== "2.0") return;
    const { id, method, params } = data;
    // A View's document can be large, and whether it is there is all that matters.
    const isLarge = typeof params?.html === "string";
    const message = { id, method, ...(isLarge && { params: { html: params.html.length } }) };
    const at = performance.timeOrigin + performance.now();
    kept.push({ at, depth, origin: window.origin, from, message });
    count++;
    // At once, since a frame that is removed tells nothing any more. A flood is told in bundles: each
    // call is work for the page, which would look as if the Host had been overwhelmed.
    if (count < 200) tell();
    else if (kept.length === 1) setTimeout(tell, 50);
  });
}
