// Logical properties throughout, for pages that run from right to left. Colours are the page's own
// where the View stands in it, and the system's in the top layer, where nothing is behind.
const CSS = `
:host{display:block;--line:var(--vitrine-border,color-mix(in srgb,currentColor 24%,transparent));--round:var(--vitrine-radius,12px)}
*{box-sizing:border-box}
[hidden]{display:none!important}
section{display:flex;flex-direction:column;inline-size:var(--w,auto);max-inline-size:100%;font:14px/1.4 system-ui,sans-serif}
.framed,:popover-open{border:1px solid var(--line);border-radius:var(--round);overflow:clip}
:popover-open{margin:0;padding:0;color:var(--vitrine-color,CanvasText);background:var(--vitrine-background,Canvas)}
[data-mode=fullscreen]{inline-size:100%;block-size:100%;border:0;border-radius:0;padding:env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)}
[data-mode=pip]{inset:auto;inset-block-end:16px;inset-inline-end:16px;inline-size:min(var(--vitrine-pip-width,400px),100vw - 32px);block-size:min(var(--vitrine-pip-height,300px),45vh);box-shadow:0 8px 32px #0004}
header{display:flex;align-items:center;gap:8px;min-block-size:36px;padding-inline:2px 4px;flex:none}
.framed>header,:popover-open>header{padding-inline-start:12px;border-block-end:1px solid var(--line)}
b,i,span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
b{font-weight:600;min-inline-size:2em}
i{flex:1 4 0;font-style:normal}
i,span,div{opacity:.75}
button{all:unset;flex:none;display:grid;place-items:center;inline-size:32px;block-size:32px;border-radius:8px;cursor:pointer}
button:hover{background:var(--line)}
button:focus-visible{outline:2px solid;outline-offset:-2px}
svg{inline-size:16px;fill:none;stroke:currentColor;stroke-width:1.5}
div{display:grid;place-items:center;border:1px dashed var(--line);border-radius:var(--round)}
main{flex:none;block-size:var(--h,150px)}
:popover-open>main{flex:1;min-block-size:0}
main[inert]{opacity:0}
iframe{display:block;inline-size:100%;block-size:100%;border:0}
article{padding:12px;overflow:auto;overflow-wrap:anywhere;white-space:pre-wrap}
@media(prefers-reduced-motion:no-preference){main:not([inert]){transition:opacity .15s}}
@media(forced-colors:active){section{border:1px solid}}
`;

let sheet: CSSStyleSheet | undefined;

/** The style of every surface; made by script, so that no policy for style elements stands against it. */
export function surfaceSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
