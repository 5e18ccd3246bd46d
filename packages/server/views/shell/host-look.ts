import {
  applyContainerDimensions,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "@vitrine/view";

// Scripts that run from right to left, where the browser cannot say.
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|iw|ks|nqo|ps|sd|syr|ug|ur|yi)\b/i;

/** Dresses the document as the Host asks: theme, variables, fonts, size, direction, safe area. */
export function applyHostContext(context: McpUiHostContext): void {
  const { theme, styles, locale, safeAreaInsets, containerDimensions } = context;
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
  applyContainerDimensions(containerDimensions);
  document.documentElement.dir = directionOf(locale);
  const { top = 0, right = 0, bottom = 0, left = 0 } = safeAreaInsets ?? {};
  document.body.style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}

/** The direction that a language is written in. */
export function directionOf(locale: string | undefined): "ltr" | "rtl" {
  try {
    const known = new Intl.Locale(locale ?? "en") as Intl.Locale & {
      getTextInfo?(): { direction?: "ltr" | "rtl" };
    };
    return known.getTextInfo?.().direction ?? (RIGHT_TO_LEFT.test(known.language) ? "rtl" : "ltr");
  } catch {
    // Not a language tag.
    return "ltr";
  }
}
