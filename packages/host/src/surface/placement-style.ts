import { addStyle } from "./elements.ts";

// The style of surfaces that aren't inline, with physical directions, because users drag in those.
const CSS = `
[data-shape]{inset:auto;left:var(--left);top:var(--top);inline-size:var(--width);block-size:var(--height)}
[data-shape=fullscreen]{padding:env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)}
[data-mode=pip]{box-shadow:0 8px 32px #0004}
[data-shape=sheet]{border-end-start-radius:0;border-end-end-radius:0}
[data-mode=pip]>header{cursor:grab;touch-action:none;user-select:none}
[data-shape=sheet]>header::before{content:"";position:absolute;inset-block-start:4px;inset-inline:calc(50% - 18px);block-size:4px;border-radius:2px;background:var(--line)}
:not([data-shape=pip])>header>.grip,:not([data-shape=pip])>u{display:none}
u{position:absolute;inline-size:20px;block-size:20px;touch-action:none}
[data-corner^=bottom]>u{top:0}
[data-corner^=top]>u{bottom:0}
[data-corner$=right]>u{left:0}
[data-corner$=left]>u{right:0}
[data-corner=bottom-right]>u,[data-corner=top-left]>u{cursor:nwse-resize}
[data-corner=bottom-left]>u,[data-corner=top-right]>u{cursor:nesw-resize}
aside{display:flex;align-items:center;gap:8px;min-block-size:56px;padding-inline:12px}
aside>button{inline-size:auto;padding-inline:12px;border:1px solid var(--line)}
@media(prefers-reduced-motion:no-preference){.snapping{transition:left .15s ease-out,top .15s ease-out}}
`;

/** Adds the style to a surface. */
export function addPlacementStyle(card: HTMLElement): void {
  addStyle(card, CSS);
}
