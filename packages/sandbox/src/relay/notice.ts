/** The text that a user reads in place of a View. */
export interface Notice {
  title: string;
  reason: string;
  advice?: string;
}

// System colours follow the user's theme, contrast settings included, without a style sheet that
// the page's policy would have to name.
const BOX =
  "position:fixed;inset:0;overflow:auto;box-sizing:border-box;padding:1rem;" +
  "color-scheme:light dark;background:Canvas;color:CanvasText;" +
  "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere";

/** Replaces the content of the page with a short text. */
export function showNotice({ title, reason, advice }: Notice): void {
  const box = document.createElement("div");
  box.style.cssText = BOX;
  // Announced by screen readers when it appears, because the user may be reading something else.
  box.role = "alert";
  box.lang = "en";
  box.append(
    paragraph(title, "margin:0;font-weight:600"),
    paragraph(reason, "margin:.25rem 0 0"),
    ...(advice ? [paragraph(advice, "margin:.25rem 0 0")] : []),
  );
  document.title = title;
  document.body.replaceChildren(box);
}

function paragraph(text: string, style: string): HTMLElement {
  const line = document.createElement("p");
  line.style.cssText = style;
  // A text node, because the View chose a part of the reason.
  line.textContent = text;
  return line;
}
