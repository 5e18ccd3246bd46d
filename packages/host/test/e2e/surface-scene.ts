import type { HostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilReceived, viewFrame, viewOf } from "./scene.ts";

// Covers all it can, above everything it knows.
export const GREEDY = viewOf(
  `greet(); document.body.append(Object.assign(document.createElement("input"), { id: "field" }));`,
  `<div style="position:fixed;inset:-500px;z-index:2147483647;background:rgb(255,0,0)"></div>`,
);

/** A page with a View that has a mark, which a reload of its document would remove. */
export async function openMarked(stage: HostStage, html = GREEDY): Promise<Page> {
  const page = await openPartsPage(stage);
  await page.evaluate(() => {
    document.body.style.margin = "40px";
    const field = Object.assign(document.createElement("input"), { id: "composer" });
    document.body.append(field);
  });
  await openView(page, stage, { html });
  await untilReceived(page, "ui/notifications/initialized");
  await page.evaluate(() => {
    const { surface } = window.kept.view;
    surface.onModeRequest((mode: "inline") => surface.setMode(mode));
  });
  const view = await viewFrame(page);
  await view.evaluate("document.mark = 1; undefined");
  return page;
}

/** Whether the View is still the document that it was. */
export const isAlive = async (page: Page): Promise<boolean> => {
  const view = page.frames().find((frame) => frame.url().includes("/v/"));
  return (await view?.evaluate("document.mark === 1")) === true;
};

/** Where things are, as the Host's page sees them; the shadow root is closed to everybody else. */
export const boxes = (page: Page) =>
  page.evaluate(() => {
    const { surface, frame } = window.kept.view;
    const card = surface.body.parentElement;
    const of = (element: Element) => element.getBoundingClientRect().toJSON() as DOMRect;
    return { card: of(card), frame: of(frame.element), element: of(surface.element) };
  });

/** The text of a surface, buttons by their names. */
export const readSurface = (page: Page) =>
  page.evaluate(() => {
    const card = (window.kept.view?.surface ?? window.kept.surface).body
      .parentElement as HTMLElement;
    const buttons = [...card.querySelectorAll("button")].filter((item) => item.checkVisibility());
    const names = buttons.map((item) => item.ariaLabel ?? item.textContent);
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count.
    return { text: card.innerText, buttons: names };
  });

/** Clicks where a button or summary is drawn; drivers do not look into closed shadow roots. */
export async function press(page: Page, name: string): Promise<void> {
  const find = (name: string) => {
    const card = (window.kept.view?.surface ?? window.kept.surface).body
      .parentElement as HTMLElement;
    const all = [...card.querySelectorAll<HTMLElement>("button,summary")];
    const found = all.find(
      (item) => (item.ariaLabel ?? item.textContent) === name && item.checkVisibility(),
    );
    return found?.getBoundingClientRect().toJSON() as DOMRect | undefined;
  };
  const handle = await page.waitForFunction(find, name, { timeout: 5000 });
  const { x, y, width, height } = (await handle.jsonValue()) as DOMRect;
  // The browser decides which process gets a click by what it last drew.
  await page.waitForTimeout(150);
  // A press right after a change of the layout would be swallowed (S37).
  await page.waitForFunction(() => !document.querySelector("[data-vitrine-shield]"));
  await page.mouse.click(x + width / 2, y + height / 2);
}

/** The names that a screen reader announces for a role. */
export async function namesOf(page: Page, role: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const found = nodes.filter((node) => !node.ignored && node.role?.value === role);
  return found.map(({ name }) => name?.value ?? "");
}
