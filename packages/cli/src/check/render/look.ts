// Measures the visible content of a view, inside its own document.

/** A view as a user sees it. */
export interface Look {
  /** Visible text. */
  text: string;
  /** Visible pictures, drawings, fields and similar elements. */
  things: number;
  /** Height of the content. */
  height: number;
  /** How much wider it is than its frame. */
  excess: number;
  /** The widest element, as its tag and class. */
  widest: string;
  scheme: string;
  /** The language that the document declares. */
  language: string;
  /** A digest of its visible elements and their sizes. */
  shape: string;
  /** Visible elements that say that something is going on, as tag and class. */
  busy: readonly string[];
  /** Something announces an alert. */
  hasAlert: boolean;
  /** It has pictures whose content the document doesn't show: a canvas, a video, a frame. */
  hasDrawings: boolean;
  /** The horizontal extent of each visible text, and whether it runs from right to left. */
  texts: readonly { left: number; right: number; isRtl: boolean }[];
}

/** Sent to the view as text, so it may not use anything outside itself. */
export function lookAtView(): Look {
  const root = document.documentElement;
  const isSeen = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return (
      width > 1 &&
      height > 1 &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    );
  };
  const texts: string[] = [];
  const extents: { left: number; right: number; isRtl: boolean }[] = [];
  const range = document.createRange();
  const named = (box: Element): string =>
    `${box.localName}${box.id ? `#${box.id}` : ""}${[...box.classList]
      .slice(0, 2)
      .map((name) => `.${name}`)
      .join("")}`;
  const walker = document.createTreeWalker(document.body ?? root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && texts.length < 2_000) {
    const { parentElement, nodeValue } = walker.currentNode;
    const line = nodeValue?.trim();
    if (
      line &&
      parentElement &&
      !parentElement.closest("script,style,noscript,template") &&
      isSeen(parentElement)
    ) {
      texts.push(line);
      range.selectNodeContents(walker.currentNode);
      const { left, right } = range.getBoundingClientRect();
      const isRtl = getComputedStyle(parentElement).direction === "rtl";
      extents.push({ left: Math.round(left), right: Math.round(right), isRtl });
    }
  }
  const selector =
    "img,svg,canvas,video,audio,iframe,input,select,textarea,button,meter,progress,object,embed";
  const things = [...document.querySelectorAll(selector)].filter(isSeen).length;
  const boxes = [...(document.body?.querySelectorAll("*") ?? [])].slice(0, 5_000);
  // Shadow roots and backgrounds have no text or elements here.
  const shadows = boxes.filter((box) => box.shadowRoot && isSeen(box));
  const excess = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0) - root.clientWidth;
  const [wide] = boxes
    .map((box) => ({ box, right: box.getBoundingClientRect().right }))
    .sort((a, b) => b.right - a.right);
  const visible = boxes.filter(isSeen);
  const isBusy = (box: Element): boolean =>
    box.matches("[aria-busy=true],progress:not([value]),[role=progressbar]:not([aria-valuenow])") ||
    /\b(?:skeleton|spinner|shimmer|loader|loading)\b/i.test(box.getAttribute("class") ?? "");
  const endless = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY)
    .map(({ effect }) => (effect as KeyframeEffect).target)
    .filter((target) => target !== null && isSeen(target));
  const shapes = visible.map((box) => {
    const { width, height } = box.getBoundingClientRect();
    return `${box.localName} ${box.getAttribute("class")} ${Math.round(width)} ${Math.round(height)}`;
  });
  const shape = Array.from(shapes.join("\n")).reduce(
    (sum, character) => (sum * 31 + character.charCodeAt(0)) | 0,
    0,
  );
  const bottoms = visible.map((box) => box.getBoundingClientRect().bottom);
  return {
    text: [...texts, ...shadows.map((box) => box.shadowRoot?.textContent?.trim() ?? "")]
      .join("\n")
      .slice(0, 20_000),
    things: things + shadows.length,
    height: Math.round(Math.max(0, ...bottoms)),
    excess: Math.round(excess),
    widest: wide && excess > 0 ? named(wide.box) : "",
    scheme: getComputedStyle(root).colorScheme,
    language: root.lang,
    shape: shape.toString(36),
    busy: [...new Set([...visible.filter(isBusy), ...endless].map((box) => named(box as Element)))],
    hasAlert: visible.some((box) => box.matches("[role=alert]") && box.textContent?.trim()),
    hasDrawings: visible.some((box) => box.matches("canvas,video,iframe,object,embed")),
    texts: extents.slice(0, 400),
  };
}

/** Runs in the host's page: the colours of a screenshot on a coarse grid. */
export async function countColours(png: string): Promise<number> {
  const bytes = Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const drawing = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  drawing.drawImage(picture, 0, 0);
  const { data } = drawing.getImageData(0, 0, picture.width, picture.height);
  const { width, height } = picture;
  const seen = new Set<number>();
  for (let at = 0; at < data.length && seen.size < 16; at += 4) {
    const x = (at / 4) % width;
    const y = Math.floor(at / 4 / width);
    // The host's border and its round corners aren't the view's.
    const left = Math.min(x, width - 1 - x);
    const top = Math.min(y, height - 1 - y);
    if (left < 2 || top < 2 || (left < 16 && top < 16)) continue;
    seen.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0));
  }
  return Math.max(seen.size, 1);
}
