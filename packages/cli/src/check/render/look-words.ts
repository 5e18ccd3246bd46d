// Finds words that a narrow frame breaks or cuts off, inside the view's own document.

/** Words that can't be read as words. */
export interface WordFaults {
  /** Split over lines inside the word, without a hyphen. */
  broken: readonly WordFault[];
  /** Cut off by their own box, without an ellipsis. */
  clipped: readonly WordFault[];
}

/** One word, and its element as tag and class. */
export interface WordFault {
  word: string;
  where: string;
  /** The lines that it takes, or the pixels that are missing. */
  amount: number;
}

/** Sent to the view as text, so it may not use anything outside itself. */
export function lookAtWords(): WordFaults {
  const broken: WordFault[] = [];
  const clipped: WordFault[] = [];
  const range = document.createRange();
  const named = (box: Element): string =>
    `${box.localName}${box.id ? `#${box.id}` : ""}${[...box.classList]
      .slice(0, 2)
      .map((name) => `.${name}`)
      .join("")}`;
  // Code is broken on purpose, and drawings have their own coordinates.
  const skipped =
    "script,style,noscript,template,pre,code,kbd,samp,textarea,svg,[aria-hidden=true]";
  const isText = (parent: Element | null): parent is Element =>
    parent?.closest(skipped) === null &&
    parent.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    getComputedStyle(parent).writingMode === "horizontal-tb";
  const isHiding = (box: Element | null): boolean =>
    box !== null && /hidden|clip/.test(getComputedStyle(box).overflowX) && box.clientWidth > 8;
  const hasEllipsis = (box: Element): boolean => getComputedStyle(box).textOverflow === "ellipsis";
  /** Pixels of a word that its box cuts off. */
  const missing = (word: DOMRect, parent: Element): number => {
    const box = [parent, parent.parentElement].find(isHiding);
    if (!box || hasEllipsis(box) || hasEllipsis(parent)) return 0;
    const { left, right } = box.getBoundingClientRect();
    // A word that is wholly outside may belong to a slide that is shown later.
    if (word.left >= right - 2 || word.right <= left + 2) return 0;
    return Math.round(Math.max(word.right - right, left - word.left));
  };
  const judge = (word: string, parent: Element): void => {
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
    // The next line starts below, and further back.
    const isNext = (box: DOMRect, at: number): boolean => {
      const last = boxes[at - 1];
      return !last || (box.top > last.top + last.height / 2 && box.left < last.right);
    };
    const lines = boxes.filter(isNext).length;
    const [first] = boxes;
    if (lines > 1 && getComputedStyle(parent).hyphens !== "auto") {
      broken.push({ word, where: named(parent), amount: lines });
    } else if (first && missing(first, parent) > 3) {
      clipped.push({ word, where: named(parent), amount: missing(first, parent) });
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let left = 3_000;
  while (walker.nextNode() && left > 0) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!isText(parent)) continue;
    // Whole words of letters: an address or a key may be broken anywhere, and scripts without
    // spaces break where they want.
    const words = (node.nodeValue ?? "").matchAll(
      /(?<!\S)([\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{4,18})[.,:;!?)]?(?!\S)/gu,
    );
    for (const { 1: word = "", index } of words) {
      if (left-- <= 0) break;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      judge(word, parent);
    }
  }
  return { broken: broken.slice(0, 20), clipped: clipped.slice(0, 20) };
}
