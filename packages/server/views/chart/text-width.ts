/** Height of the words in a chart, in pixels. */
const SIZE = 12;

let pen: OffscreenCanvasRenderingContext2D | null | undefined;

/** Room that words of a chart take; without a browser near enough. */
export function widthOf(text: string): number {
  if (pen === undefined) pen = createPen();
  if (pen) return pen.measureText(text).width;
  let width = 0;
  // East Asian characters are as wide as they are high.
  for (const char of text) width += (char.codePointAt(0) ?? 0) > 0x2e7f ? SIZE : SIZE * 0.6;
  return width;
}

function createPen(): OffscreenCanvasRenderingContext2D | null {
  if (typeof OffscreenCanvas === "undefined" || typeof document === "undefined") return null;
  const made = new OffscreenCanvas(1, 1).getContext("2d");
  if (made) made.font = `${SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  return made;
}

/** As much of a text as there is room for. */
export function fit(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
