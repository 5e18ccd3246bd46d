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
    }
  }
  const selector =
    "img,svg,canvas,video,audio,iframe,input,select,textarea,button,meter,progress,object,embed";
  const things = [...document.querySelectorAll(selector)].filter(isSeen).length;
  const boxes = [...(document.body?.querySelectorAll("*") ?? [])].slice(0, 5_000);
  // Shadow roots and backgrounds have no text or elements here.
  const shadows = boxes.filter((box) => box.shadowRoot && isSeen(box));
  const excess = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0) - root.clientWidth;
  let widest = "";
  if (excess > 0) {
    const wide = boxes
      .map((box) => ({ box, right: box.getBoundingClientRect().right }))
      .sort((a, b) => b.right - a.right)[0]?.box;
    if (wide)
      widest = `${wide.localName}${wide.id ? `#${wide.id}` : ""}${[...wide.classList]
        .slice(0, 2)
        .map((name) => `.${name}`)
        .join("")}`;
  }
  const bottoms = boxes.filter(isSeen).map((box) => box.getBoundingClientRect().bottom);
  return {
    text: [...texts, ...shadows.map((box) => box.shadowRoot?.textContent?.trim() ?? "")]
      .join("\n")
      .slice(0, 20_000),
    things: things + shadows.length,
    height: Math.round(Math.max(0, ...bottoms)),
    excess: Math.round(excess),
    widest,
    scheme: getComputedStyle(root).colorScheme,
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
