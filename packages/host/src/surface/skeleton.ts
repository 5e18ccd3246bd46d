// Stands for a view that takes a while to load. It has the view's last height, because the view's own
// area is below it.

import { addStyle, makeElement } from "./elements.ts";

const CSS = `
section:has(.skeleton):not(:popover-open){position:relative}
.skeleton{position:absolute;inset:37px 0 0;display:grid;gap:12px;align-content:start;padding:16px;overflow:clip;pointer-events:none}
.skeleton>div{block-size:12px;border-radius:4px;background:var(--line)}
.skeleton>:nth-child(3n+1){inline-size:40%}
.skeleton>:nth-child(3n){inline-size:75%}
@media(pointer:coarse){.skeleton{inset-block-start:45px}}
@media(prefers-reduced-motion:no-preference){
.skeleton{animation:pulse 1.6s ease-in-out infinite alternate}
@keyframes pulse{to{opacity:.5}}
}
@media(forced-colors:active){.skeleton>div{background:GrayText}}
`;
/** More than fit into most views; the rest is clipped. */
const LINES = 9;

/** Draws it over the area of a view. Returns a function that removes it. */
export function drawSkeleton(card: HTMLElement): () => void {
  addStyle(card, CSS);
  const lines = Array.from({ length: LINES }, () => makeElement("div", {}, []));
  const props = { className: "skeleton", ariaHidden: "true" };
  const skeleton = makeElement("div", props, lines, "skeleton");
  card.append(skeleton);
  return () => skeleton.remove();
}
