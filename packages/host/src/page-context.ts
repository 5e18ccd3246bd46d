// The part of the host context that the page itself tells: what a product would otherwise have to fill in.

import type { Implementation, McpUiHostContext, McpUiTheme } from "@vitrine/protocol/apps";
import { themeContext } from "./theme.ts";

const DARK = "(prefers-color-scheme: dark)";
const PHONE = "(pointer: coarse) and (max-width: 640px)";
/** Queries whose change changes the context. */
const QUERIES = [
  DARK,
  PHONE,
  "(hover: hover)",
  "(any-pointer: coarse)",
  // A phone that is turned has other safe areas.
  "(orientation: portrait)",
];

/** The context of a page, by its own settings and those of the browser. */
export function contextOfPage({ name, version }: Implementation): McpUiHostContext {
  return {
    ...themeContext(themeOfPage()),
    locale: document.documentElement.lang || navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: `${name}/${version}`,
    platform: matchMedia(PHONE).matches ? "mobile" : "web",
    deviceCapabilities: {
      touch: matchMedia("(any-pointer: coarse)").matches,
      hover: matchMedia("(hover: hover)").matches,
    },
    safeAreaInsets: insetsOfPage(),
  };
}

/** Calls `listener` whenever the browser's part of the context changes. Returns an unsubscribe function. */
export function onPageContextChange(listener: () => void): () => void {
  const queries = QUERIES.map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener("change", listener);
  return () => {
    for (const query of queries) query.removeEventListener("change", listener);
  };
}

/** The colour scheme of the page: its own choice, or the browser's if the page supports both. */
function themeOfPage(): McpUiTheme {
  const { colorScheme } = getComputedStyle(document.documentElement);
  const isDark = colorScheme.includes("dark");
  if (isDark && colorScheme.includes("light")) return matchMedia(DARK).matches ? "dark" : "light";
  return isDark ? "dark" : "light";
}

type Insets = NonNullable<McpUiHostContext["safeAreaInsets"]>;

let knownInsets: Insets | undefined;

/** The parts of the screen that its shape covers. Reading them costs a layout, and each view needs them. */
function insetsOfPage(): Insets {
  if (knownInsets) return knownInsets;
  knownInsets = readInsets();
  // Turning a phone resizes its page.
  const forget = (): void => {
    knownInsets = undefined;
  };
  addEventListener("resize", forget, { once: true });
  return knownInsets;
}

/** Scripts can only read them from a style. */
function readInsets(): Insets {
  const probe = document.createElement("div");
  const sides = ["top", "right", "bottom", "left"] as const;
  for (const side of sides) {
    probe.style.setProperty(`padding-${side}`, `env(safe-area-inset-${side}, 0px)`);
  }
  probe.style.cssText += ";position:fixed;visibility:hidden";
  document.documentElement.append(probe);
  const style = getComputedStyle(probe);
  const [top = 0, right = 0, bottom = 0, left = 0] = sides.map(
    (side) => Number.parseFloat(style.getPropertyValue(`padding-${side}`)) || 0,
  );
  probe.remove();
  return { top, right, bottom, left };
}
