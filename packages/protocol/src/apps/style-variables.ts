import type { McpUiStyleVariableKey } from "./types.ts";

// Prefix, middles, suffixes: every combination is a key. Order follows the published list.
const tones = "primary secondary tertiary inverse ghost info danger success warning disabled";
const fontSizes = "text-xs text-sm text-md text-lg";
const headingSizes =
  "heading-xs heading-sm heading-md heading-lg heading-xl heading-2xl heading-3xl";
const families: readonly (readonly [prefix: string, middles: string, suffix?: string])[] = [
  ["color-background-", tones],
  ["color-text-", tones],
  ["color-border-", tones],
  ["color-ring-", "primary secondary inverse info danger success warning"],
  ["font-", "sans mono"],
  ["font-weight-", "normal medium semibold bold"],
  ["font-", `${fontSizes} ${headingSizes}`, "-size"],
  ["font-", `${fontSizes} ${headingSizes}`, "-line-height"],
  ["border-radius-", "xs sm md lg xl full"],
  ["border-width-", "regular"],
  ["shadow-", "hairline sm md lg"],
];

/** The 76 CSS variables a Host may set, in the published order. */
export const STYLE_VARIABLES: readonly McpUiStyleVariableKey[] = /* @__PURE__ */ families.flatMap(
  ([prefix, middles, suffix = ""]) =>
    middles.split(" ").map((middle) => `--${prefix}${middle}${suffix}` as McpUiStyleVariableKey),
);

const known: ReadonlySet<string> = /* @__PURE__ */ new Set<string>(STYLE_VARIABLES);

/** True for one of the 76; a Host must send no other, or official Views reject the whole context. */
export function isStyleVariable(name: unknown): name is McpUiStyleVariableKey {
  return known.has(name as string);
}
