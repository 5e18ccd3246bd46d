// Logical properties throughout, for right-to-left pages. Colours are the page's own inline, and the
// system's in the top layer, where there is no background. A tool's title is quoted, because it is
// the tool's own text.
export const SURFACE_CSS = `
:host{display:block;--line:var(--vitrine-border,var(--own-border,color-mix(in srgb,currentColor 20%,transparent)));--muted:var(--vitrine-muted,var(--own-muted,color-mix(in srgb,currentColor 75%,transparent)));--round:var(--vitrine-radius,8px);--ink:var(--vitrine-color,var(--own-color));--ground:var(--vitrine-background,var(--own-background))}
*{box-sizing:border-box}
[hidden]{display:none!important}
section,aside{font-size:14px;line-height:1.45;font-family:var(--vitrine-font,inherit);color:var(--ink,inherit)}
section{display:flex;flex-direction:column;inline-size:var(--w,auto);max-inline-size:100%}
.framed,aside,:popover-open{border:1px solid var(--line);border-radius:var(--round);overflow:clip;background:var(--ground,none)}
:popover-open{margin:0;padding:0;color:var(--ink,CanvasText);background:var(--ground,Canvas)}
[data-mode=fullscreen]{inline-size:100%;block-size:100%;border:0;border-radius:0}
[data-mode=pip]{inset:auto 16px 16px auto;inline-size:min(360px,100vw - 32px);block-size:240px}
header{display:flex;align-items:center;gap:8px;min-block-size:36px;padding-inline:2px 4px;flex:none}
.framed>header,:popover-open>header{padding-inline-start:12px;border-block-end:1px solid var(--line)}
b,i,span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
b{font-weight:600;min-inline-size:2em}
i{flex:1 4 0;font-style:normal;text-align:match-parent}
i:not(:empty)::before{content:"“"}
i:not(:empty)::after{content:"”"}
i,span{color:var(--muted)}
button{all:unset;flex:none;display:grid;place-items:center;inline-size:32px;block-size:32px;border-radius:6px;cursor:pointer}
button:hover{background:var(--line)}
button:focus-visible{outline:2px solid var(--vitrine-accent,currentColor);outline-offset:-2px}
svg{inline-size:16px;fill:none;stroke:currentColor;stroke-width:1.5}
main{flex:none;block-size:var(--h,150px)}
:popover-open>main{flex:1;min-block-size:0}
main[inert]{opacity:0}
iframe{display:var(--vitrine-view-display,block);inline-size:100%;block-size:100%;border:0}
article{padding:12px;overflow:auto;overflow-wrap:anywhere;white-space:pre-wrap}
@media(pointer:coarse){button{min-inline-size:44px;block-size:44px}header{min-block-size:44px}}
@media(prefers-reduced-motion:no-preference){main:not([inert]){transition:opacity .15s}}
@media(forced-colors:active){section{border:1px solid}}
`;
