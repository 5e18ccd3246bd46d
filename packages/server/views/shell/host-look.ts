import {
  applyContainerDimensions,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  directionOf,
  type McpUiHostContext,
} from "@vitrine/view";

/** Dresses the document as the Host asks: theme, variables, fonts, size, direction, safe area. */
export function applyHostContext(context: McpUiHostContext): void {
  const { theme, styles, locale, safeAreaInsets, containerDimensions } = context;
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
  applyContainerDimensions(containerDimensions);
  const root = document.documentElement;
  root.dir = directionOf(locale);
  // A template whose author set the language is in that language.
  if (locale && root.dataset.lang === undefined) root.lang = locale;
  const { top = 0, right = 0, bottom = 0, left = 0 } = safeAreaInsets ?? {};
  document.body.style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}
