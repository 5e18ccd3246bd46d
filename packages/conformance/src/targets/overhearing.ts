// Records window messages around a view: in the host's page, and in the frames in between.

import type { BrowserContext } from "playwright-core";
import type { Json } from "../json.ts";

/** A message that reached a window. */
export interface Overheard {
  /** Milliseconds since 1970. */
  at: number;
  /** Frames above this window: 0 is the Host's page. */
  depth: number;
  /** The window's origin, and the message's origin. */
  origin: string;
  from: string;
  message: Json;
}

/** Records in every window, before any script of its page. */
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
    // Selectors and the suite's checks only reach open roots; views don't see this.
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (options) {
      return attachShadow.call(this, { ...options, mode: "open" });
    };
    // The name that the host gives a file: the browser changes it to a harmless one.
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
    // A view's document can be large, and only its presence matters.
    const isLarge = typeof params?.html === "string";
    const message = { id, method, ...(isLarge && { params: { html: params.html.length } }) };
    const at = performance.timeOrigin + performance.now();
    kept.push({ at, depth, origin: window.origin, from, message });
    count++;
    // At once, because a frame that is removed reports nothing any more. A flood is reported in
    // batches: each call is work for the page, and would look as if the host had been overwhelmed.
    if (count < 200) tell();
    else if (kept.length === 1) setTimeout(tell, 50);
  });
}
