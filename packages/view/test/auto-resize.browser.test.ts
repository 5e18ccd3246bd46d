import { afterAll, describe, expect, test } from "vitest";
import { HOSTS, type HostStyle, openResizeFrame, type ResizeFrame } from "./resize-frame.ts";

const block = (height: number): string => `<div style="height: ${height}px">content</div>`;
const lorem = "word ".repeat(120);

const PAGES: Record<string, string> = {
  "plain content with the browser's margins": block(320),
  "no margin": `<style>body { margin: 0 }</style>${block(320)}`,
  "margins that collapse": `<div style="margin: 40px 0">${block(200)}</div>`,
  "height: 100%": `<style>html, body { height: 100%; margin: 0 }</style>${block(60)}`,
  "height: 100% with content taller than the frame": `<style>html, body { height: 100%; margin: 0 }</style>${block(320)}`,
  "height: 100vh": `<style>body { height: 100vh }</style>${block(60)}`,
  "min-height: 100vh and margins": `<style>body { min-height: 100vh; margin: 16px }</style>${block(60)}`,
  "half the frame plus content": `<style>body { margin: 0 }</style><div style="height: 50vh"></div>${block(100)}`,
  "a fraction of a pixel": `<style>body { margin: 0 }</style>${block(200.4)}`,
  "an absolutely placed child": `<div style="position: absolute; top: 0; height: 380px">x</div>`,
  "text that wraps, right to left": `<style>body { direction: rtl; margin: 12px }</style><p>${lorem}</p>`,
  "nothing at all": "",
};

const open: ResizeFrame[] = [];

afterAll(() => {
  for (const frame of open) frame.remove();
});

const openFrame = async (html: string, style?: HostStyle): Promise<ResizeFrame> => {
  const frame = await openResizeFrame(html, style);
  open.push(frame);
  return frame;
};

describe.concurrent.each(Object.entries(HOSTS))("in a Host that %s (VEW-11)", (_name, style) => {
  test.each(Object.entries(PAGES))(
    "a page with %s settles in three reports",
    async (_page, html) => {
      const frame = await openFrame(html, style);
      await frame.settled();
      expect(frame.reports.length).toBeGreaterThanOrEqual(1);
      expect(frame.reports.length).toBeLessThanOrEqual(3);
    },
  );
});

describe.concurrent("the size reported", () => {
  test.each([
    ["plain content with the browser's margins", 336],
    ["no margin", 320],
    ["margins that collapse", 280],
    ["height: 100% with content taller than the frame", 320],
    ["a fraction of a pixel", 201],
    ["an absolutely placed child", 380],
  ])("of a page with %s is %i", async (page, height) => {
    const frame = await openFrame(PAGES[page] as string);
    await frame.settled();
    expect(frame.reports.at(-1)).toEqual({ width: 300, height });
  });

  test.each(Object.keys(PAGES).filter((page) => !page.includes("vh") && !page.includes("half")))(
    "of a page with %s leaves nothing to scroll in a Host that obeys",
    async (page) => {
      const frame = await openFrame(PAGES[page] as string);
      await frame.settled();
      const { scrollHeight, clientHeight } = frame.document.documentElement;
      expect(scrollHeight).toBe(clientHeight);
    },
  );
});

describe.concurrent("content that changes", () => {
  const grow = ({ document }: ResizeFrame, height: number): void => {
    const child = document.createElement("div");
    child.style.height = `${height}px`;
    document.body.append(child);
  };

  test("grows: one report for each change, however equal the steps", async () => {
    const frame = await openFrame(`<style>body { margin: 0 }</style>${block(166)}`);
    await frame.settled();
    for (let step = 0; step < 4; step++) {
      grow(frame, 16);
      await frame.settled();
    }
    expect(frame.reports.map(({ height }) => height)).toEqual([166, 182, 198, 214, 230]);
  });

  test("shrinks: the frame follows down", async () => {
    const frame = await openFrame(`<style>body { margin: 0 }</style>${block(300)}`);
    await frame.settled();
    frame.document.body.replaceChildren();
    grow(frame, 80);
    await frame.settled();
    expect(frame.reports.map(({ height }) => height)).toEqual([300, 80]);
  });

  test("grows under height: 100%, where no observed box changes", async () => {
    const frame = await openFrame(PAGES["height: 100%"] as string);
    await frame.settled();
    grow(frame, 400);
    await frame.settled();
    expect(frame.reports.at(-1)?.height).toBe(460);
    expect(frame.reports.length).toBeLessThanOrEqual(3);
  });

  test("grows under 100vh, once it is taller than the frame", async () => {
    const frame = await openFrame(
      `<style>body { min-height: 100vh; margin: 0 }</style>${block(60)}`,
    );
    await frame.settled();
    const before = frame.reports.length;
    grow(frame, 400);
    await frame.settled();
    expect(frame.reports.at(-1)?.height).toBe(460);
    expect(frame.reports.length - before).toBeLessThanOrEqual(3);
  });

  test("streams in while the Host animates: the last height is reported", async () => {
    const frame = await openFrame("<style>body { margin: 0 }</style>", HOSTS["animates to it"]);
    for (let step = 0; step < 30; step++) {
      grow(frame, 20);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await frame.settled();
    expect(frame.reports.at(-1)?.height).toBe(600);
  });

  // The reporter took content that grew while the frame moved for a page that follows its frame,
  // and dropped the last height for good.
  test.each([
    ["by other steps than", 20, 10],
    ["by the same steps as", 10, 10],
  ])(
    "grows %s the Host's animation: the last height is reported",
    async (_steps, height, moved) => {
      const frame = await openFrame("<style>body { margin: 0 }</style>", HOSTS["ignores it"]);
      const element = frame.window.frameElement as HTMLElement;
      await frame.settled();
      for (let step = 1; step <= 12; step++) {
        grow(frame, height);
        element.style.height = `${150 + step * moved}px`;
        await frame.rests();
      }
      await frame.settled();
      expect(frame.reports.at(-1)?.height).toBe(12 * height);
    },
  );

  test("in answer to each resize is reported a few times only", async () => {
    const frame = await openFrame("<style>body { margin: 0 }</style><div></div>");
    const child = frame.document.querySelector("div") as HTMLElement;
    frame.window.addEventListener("resize", () => {
      child.style.height = `${frame.window.innerHeight + 10}px`;
    });
    child.style.height = "200px";
    await frame.settled();
    expect(frame.reports.length).toBeLessThanOrEqual(4);
  });

  test("many times in one frame is reported once", async () => {
    const frame = await openFrame("<style>body { margin: 0 }</style>");
    await frame.settled();
    const before = frame.reports.length;
    for (let step = 0; step < 50; step++) grow(frame, 4);
    await frame.settled();
    expect(frame.reports.length - before).toBe(1);
  });

  test("by nothing that shows is not reported", async () => {
    const frame = await openFrame(block(200));
    await frame.settled();
    const before = frame.reports.length;
    frame.document.body.dataset.x = "1";
    frame.document.title = "changed";
    await frame.settled();
    expect(frame.reports.length).toBe(before);
  });

  test("in width, when the Host makes the frame wider, is reported with the new height", async () => {
    const frame = await openFrame(`<style>body { margin: 0 }</style><p>${lorem}</p>`);
    await frame.settled();
    const narrow = frame.reports.at(-1);
    (frame.window.frameElement as HTMLElement).style.width = "600px";
    await frame.settled();
    const wide = frame.reports.at(-1);
    expect(wide?.width).toBe(600);
    expect(wide?.height).toBeLessThan(narrow?.height ?? 0);
  });

  test("beyond the Host's maxHeight is reported up to it, and again when it changes (VEW-25)", async () => {
    const frame = await openFrame(
      `<script>maxHeight = 100</script><style>body { margin: 0 }</style>${block(60)}`,
    );
    await frame.settled();
    grow(frame, 100);
    await frame.settled();
    grow(frame, 100);
    await frame.settled();
    const view = frame.window as unknown as { maxHeight: number; schedule(): void };
    view.maxHeight = 240;
    view.schedule();
    await frame.settled();
    expect(frame.reports.map(({ height }) => height)).toEqual([60, 100, 240]);
  });

  test("after the undo is not reported any more", async () => {
    const frame = await openFrame(block(200));
    await frame.settled();
    const before = frame.reports.length;
    (frame.window as unknown as { stop(): void }).stop();
    grow(frame, 300);
    await frame.settled();
    expect(frame.reports.length).toBe(before);
  });
});
