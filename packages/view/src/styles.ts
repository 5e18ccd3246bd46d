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

const FONTS_ID = "__mcp-host-fonts";

/** Puts the Host's font CSS into one style element; a later call replaces it. */
export function applyHostFonts(fontCss: string): void {
  const existing = document.getElementById(FONTS_ID);
  const style = existing ?? document.head.appendChild(document.createElement("style"));
  style.id = FONTS_ID;
  style.textContent = fontCss;
}
