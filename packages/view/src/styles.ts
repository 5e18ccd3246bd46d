import type { McpUiStyles, McpUiTheme } from "@vitrine/protocol/apps";

/** The document's theme: `data-theme`, or the class `dark`, else light. */
export function getDocumentTheme(): McpUiTheme {
  const { dataset, classList } = document.documentElement;
  const { theme } = dataset;
  return theme === "dark" || (theme !== "light" && classList.contains("dark")) ? "dark" : "light";
}

/** Sets `data-theme` and `color-scheme`, which is what `light-dark()` follows. */
export function applyDocumentTheme(theme: McpUiTheme): void {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.style.colorScheme = theme;
}

/** Sets the Host's style variables on an element, by default the root. */
export function applyHostStyleVariables(
  styles: McpUiStyles,
  root: HTMLElement = document.documentElement,
): void {
  for (const [name, value] of Object.entries(styles)) {
    // Variables only: a Host sets the View's theme, not its layout.
    if (value !== undefined && name.startsWith("--")) root.style.setProperty(name, value);
  }
}

// Languages written from right to left, for browsers that can't tell.
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|iw|ks|nqo|ps|sd|syr|ug|ur|yi)\b/i;

/** The direction that a language is written in; left to right for what isn't a language tag. */
export function directionOf(locale: string | undefined): "ltr" | "rtl" {
  try {
    const known = new Intl.Locale(locale ?? "en") as Intl.Locale & {
      getTextInfo?(): { direction?: "ltr" | "rtl" };
    };
    return known.getTextInfo?.().direction ?? (RIGHT_TO_LEFT.test(known.language) ? "rtl" : "ltr");
  } catch {
    return "ltr";
  }
}

/**
 * Sets `lang` and `dir` of the document to the Host's language. A document with a `lang` or `dir` of its
 * own keeps both: its text is in that language, whatever the Host's is.
 */
export function applyDocumentLocale(locale: string): void {
  const root = document.documentElement;
  if (root.dataset.hostLocale === undefined && (root.lang || root.dir)) return;
  root.dataset.hostLocale = locale;
  root.lang = locale;
  root.dir = directionOf(locale);
}

const FONTS_ID = "__mcp-host-fonts";

/** Puts the Host's font CSS into one style element; a later call replaces it. */
export function applyHostFonts(fontCss: string): void {
  const existing = document.getElementById(FONTS_ID);
  const style = existing ?? document.head.appendChild(document.createElement("style"));
  style.id = FONTS_ID;
  style.textContent = fontCss;
}
