import type { Sight } from "@vitrine/internal/example-servers";
import type { Frame, Page } from "playwright";

// A busy machine, and a View of four megabytes.
const PATIENCE = 20_000;

/** The View's own frame: the innermost, inside the page and the relay. */
export async function viewOf(page: Page): Promise<Frame | undefined> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await page.waitForTimeout(50)) {
    const view = page.frames().find((frame) => frame.parentFrame()?.parentFrame());
    if (view) return view;
  }
  return undefined;
}

/** The first of these that can be seen in the View. */
export async function firstSeen(view: Frame, sights: Sight[]): Promise<Sight | undefined> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await view.waitForTimeout(50)) {
    for (const sight of sights) if (await isSeen(view, sight)) return sight;
  }
  return undefined;
}

async function isSeen(view: Frame, { selector, text, colours, colour }: Sight): Promise<boolean> {
  const found = view.locator(selector, text && { hasText: text }).first();
  if (!(await found.isVisible())) return false;
  if (!colours && !colour) return true;
  const drawn = await found.evaluate(coloursOf);
  return drawn.length >= (colours ?? 0) && (!colour || drawn.includes(colour));
}

/** Colours of a canvas on a coarse grid, looked at in the moment in which it is drawn. */
function coloursOf(canvas: Element): Promise<string[]> {
  return new Promise((resolve) =>
    requestAnimationFrame(() => {
      const grid = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
      const drawing = grid.getContext("2d") as CanvasRenderingContext2D;
      drawing.imageSmoothingEnabled = false;
      drawing.drawImage(canvas as HTMLCanvasElement, 0, 0, 32, 32);
      const { data } = drawing.getImageData(0, 0, 32, 32);
      const seen = new Set<string>();
      for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 4).join());
      resolve([...seen]);
    }),
  );
}
