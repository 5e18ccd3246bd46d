import type { McpUiStyles, McpUiStyleVariableKey } from "@vitrine/protocol/apps";

// `all: initial` and `!important`: no rule of the page changes or hides the dialog by accident. Custom
// properties and the font are the page's.
const RULES = `
:host { all: initial !important; color-scheme: inherit !important; font-family: inherit !important; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
dialog {
  width: min(30rem, 100vw - 1.5rem);
  max-width: none;
  max-height: min(42rem, 100dvh - 1.5rem);
  margin: auto;
  box-shadow: $shadow-lg;
}
dialog, .inline {
  padding: 0;
  overflow: hidden;
  border: $border-width-regular solid $color-border-secondary;
  border-radius: $border-radius-lg;
  background: $color-background-primary;
  color: $color-text-primary;
  font-family: var(--vitrine-font, inherit);
  font-size: $font-text-sm-size;
  font-weight: $font-weight-normal;
  line-height: $font-text-sm-line-height;
  text-align: start;
}
dialog[open] { display: flex; }
dialog::backdrop { background: rgb(0 0 0/.5); }
.panel { display: flex; flex: 1; flex-direction: column; min-width: 0; outline: none; }
.content {
  --ground: $color-background-primary;
  --shade: light-dark(rgb(0 0 0/.16), rgb(0 0 0/.7));
  overflow: auto;
  background:
    linear-gradient(var(--ground) 50%, transparent) top / 100% 1.5rem no-repeat local,
    linear-gradient(transparent, var(--ground) 50%) bottom / 100% 1.5rem no-repeat local,
    linear-gradient(var(--shade), transparent) top / 100% .5rem no-repeat,
    linear-gradient(transparent, var(--shade)) bottom / 100% .5rem no-repeat,
    var(--ground);
}
.content { flex: 1; min-height: 0; padding: 1.25rem; }
.withdrawn p { color: $color-text-secondary; }
h2 {
  margin-block-end: .875rem;
  font-size: $font-heading-lg-size;
  font-weight: $font-weight-semibold;
  line-height: $font-heading-lg-line-height;
  text-wrap: balance;
}
dl { display: grid; gap: .5rem; }
dl > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); column-gap: .75rem; }
dt, .label { color: $color-text-secondary; }
dd, .box, h2 { overflow-wrap: anywhere; }
strong, b { font-weight: $font-weight-semibold; }
code, .box > [dir=ltr] { font-family: $font-mono; font-size: $font-text-xs-size; }
dd > img { margin-inline-end: .375rem; vertical-align: -.125rem; }
code { color: $color-text-secondary; }
.label { margin-block: .875rem .25rem; }
.box {
  padding: .625rem .75rem;
  border: $border-width-regular solid $color-border-tertiary;
  border-radius: $border-radius-md;
  background: $color-background-secondary;
  line-height: 1.5;
  white-space: pre-wrap;
}
.box > [dir=auto] { unicode-bidi: plaintext; }
.box b { color: $color-text-info; }
.note {
  margin-block-start: .75rem;
  padding: .5rem .75rem;
  border-inline-start: .1875rem solid $color-border-warning;
  border-radius: $border-radius-xs;
  background: $color-background-warning;
  color: $color-text-warning;
}
.actions {
  display: flex;
  flex-wrap: wrap;
  gap: .5rem;
  padding: .75rem 1.25rem;
  border-block-start: $border-width-regular solid $color-border-tertiary;
}
.remember { display: flex; flex-wrap: wrap; flex-basis: 100%; min-width: 0; padding: 0; border: 0; column-gap: 1rem; }
legend { padding: 0; color: $color-text-secondary; }
label { display: flex; align-items: center; gap: .5rem; min-height: 2.25rem; }
input { flex: none; width: 1.125rem; height: 1.125rem; accent-color: $color-text-info; }
button {
  flex: 1;
  min-height: 2.75rem;
  padding: .5rem 1rem;
  border: $border-width-regular solid $color-border-primary;
  border-radius: $border-radius-md;
  background: $color-background-primary;
  color: inherit;
  font: inherit;
  font-weight: $font-weight-medium;
  cursor: pointer;
}
.more { flex-basis: 100%; border-color: transparent; color: $color-text-info; }
.allow { border-color: $color-background-inverse; background: $color-background-inverse; color: $color-text-inverse; }
.allow[aria-disabled=true] {
  border-color: $color-border-secondary;
  background: $color-background-tertiary;
  color: $color-text-secondary;
  cursor: default;
}
button:hover { background: $color-background-secondary; }
.allow:hover:not([aria-disabled=true]) { background: $color-text-secondary; }
:focus-visible { outline: .125rem solid $color-ring-primary; outline-offset: .125rem; }
.content:focus-visible { outline-offset: -.125rem; }
@media (max-width: 24rem) {
  .content { padding: 1rem; }
  .actions { padding: .75rem 1rem; }
  dl > div { grid-template-columns: 1fr; }
  .stop { flex-basis: 100%; }
}
@media (prefers-reduced-motion: no-preference) {
  button { transition: background-color .15s, color .15s, border-color .15s; }
}
@media (forced-colors: active) {
  .allow[aria-disabled=true] { border-color: GrayText; color: GrayText; }
  .note { border-inline-start-color: CanvasText; }
}
`;

/** Variables that the page can set, before those of the theme. */
const PAGE: Record<string, string> = {
  "color-background-primary": "background",
  "color-background-secondary": "raised",
  "color-background-tertiary": "raised",
  "color-background-inverse": "color",
  "color-text-primary": "color",
  "color-text-secondary": "muted",
  "color-text-inverse": "background",
  "color-text-info": "accent",
  "color-ring-primary": "accent",
  "color-border-primary": "border",
  "color-border-secondary": "border",
  "color-border-tertiary": "border",
  "border-radius-lg": "radius",
};

/** The dialog's style sheet. A constructed one passes any Content Security Policy. */
export function dialogStyle(variables: McpUiStyles): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    RULES.replace(/\$([\w-]+)/g, (_, name) => {
      const value = variables[`--${name}` as McpUiStyleVariableKey] ?? "";
      return PAGE[name] ? `var(--vitrine-${PAGE[name]}, ${value})` : value;
    }),
  );
  return sheet;
}
