// The product's icons and colours, and the skeleton of a view that takes a while. Loaded on demand.

import type { McpUiStyles, McpUiStyleVariableKey } from "@vitrine/protocol/apps";

export { drawSkeleton } from "./skeleton.ts";

/** Variables of a surface, and the ones of a view's theme that they default to. */
const COLOURS: Record<string, McpUiStyleVariableKey> = {
  "--own-background": "--color-background-primary",
  "--own-color": "--color-text-primary",
  "--own-muted": "--color-text-secondary",
  "--own-border": "--color-border-tertiary",
};

/** Gives a surface the colours that views get. Variables of the page, `--vitrine-…`, come first. */
export function setPalette({ style }: HTMLElement, variables: McpUiStyles): void {
  for (const [own, name] of Object.entries(COLOURS)) {
    style.setProperty(own, variables[name] ?? "");
  }
}

/** The icon of a server, if its address is valid. */
export function makeServerIcon(src: string): HTMLImageElement[] {
  // An image can't run scripts, whatever its type; other addresses could have side effects.
  if (!/^(?:https:\/\/|data:image\/)/i.test(src)) return [];
  const image = document.createElement("img");
  // The name is next to it.
  image.alt = "";
  image.width = 16;
  image.height = 16;
  image.referrerPolicy = "no-referrer";
  image.onerror = () => image.remove();
  image.setAttribute("part", "icon");
  image.src = src;
  return [image];
}
