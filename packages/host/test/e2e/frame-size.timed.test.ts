import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, type TestContext, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, viewFrame, viewOf } from "./scene.ts";
import { sdkView } from "./sdk-view.ts";

// Side by side, each in a page of its own: nearly all of the time is spent on watching that nothing moves.
vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000, maxConcurrency: 4 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

const TEXT = "A few words of content that wrap in a narrow frame. ".repeat(12);

/** Opens a View whose reports size its frame, as a Host does; `window.kept.sizes` has what was applied. */
async function openSized(html: string, context: TestContext): Promise<Page> {
  const page = await openPartsPage(stage, { context });
  await page.evaluate(() => {
    document.body.style.cssText = "margin:0;width:480px";
  });
  await openView(page, stage, { html, height: 150 });
  await page.evaluate(() => {
    const { view } = window.kept;
    const sizes: number[] = [];
    const reports: number[] = [];
    Object.assign(window.kept, { sizes, reports });
    const size = window.parts.createFrameSize(
      ({ height = 0 }) => {
        sizes.push(height);
        view.surface.setSize({ height });
      },
      { width: 480 },
    );
    const answer = (message: {
      id?: unknown;
      method?: string;
      params?: { height: number };
    }): void => {
      if (message.method === "ui/initialize") {
        const result = {
          protocolVersion: "2026-01-26",
          hostInfo: { name: "h", version: "1" },
          hostCapabilities: {},
          hostContext: { containerDimensions: { width: 480 } },
        };
        view.channel.send({ jsonrpc: "2.0", id: message.id, result });
      }
      if (message.method === "ui/notifications/size-changed" && message.params) {
        reports.push(message.params.height);
        size.report(message.params);
      }
    };
    for (const message of view.received) answer(message);
    view.channel.onmessage = answer;
  });
  return page;
}

/** The sizes applied, once none has been for a while. */
async function settle(page: Page, quiet = 2000): Promise<number[]> {
  for (let before = -1; ; ) {
    await page.waitForTimeout(quiet);
    const sizes: number[] = await page.evaluate(() => window.kept.sizes);
    if (sizes.length > 0 && sizes.length === before) return sizes;
    before = sizes.length;
  }
}

const turnsOf = (sizes: number[]): number[] =>
  sizes.filter((size, i) => (size - (sizes[i - 1] ?? size)) * ((sizes[i + 1] ?? size) - size) < 0);

async function overflowOf(page: Page): Promise<number> {
  const view = await viewFrame(page);
  return view.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return scrollHeight - clientHeight;
  });
}

const REPORT = `
const report = (height) => send({ method: "ui/notifications/size-changed", params: { width: innerWidth, height } });
const root = document.documentElement;
const observe = (read) => new ResizeObserver(() => report(read())).observe(document.body);
`;

describe.each(["@vitrine/view", "ext-apps-v2"])("a View of %s", (sdk) => {
  test.concurrent.for([
    ["text", ""],
    ["height: 100%", "html,body{height:100%;margin:0}"],
    ["100vh and a margin", "body{min-height:100vh;margin:8px}"],
    ["margins that collapse", "p{margin:40px 0}"],
  ])("with %s settles in three steps and never turns back", async ([, style], context) => {
    const { expect } = context;
    const body = `<style>${style}</style><p>${TEXT}</p>`;
    const page = await openSized(await sdkView("", { sdk, body }), context);
    const sizes = await settle(page);
    expect(sizes.length).toBeLessThanOrEqual(3);
    expect(turnsOf(sizes)).toEqual([]);
    // All of it is seen, but for margins that reach beyond any frame.
    expect(await overflowOf(page)).toBeLessThanOrEqual(24);
  });
});

describe("a View that measures and reports its size itself", () => {
  test.concurrent.for([
    ["height: 100%", "html,body{height:100%;margin:0}", "observe(() => root.scrollHeight);"],
    [
      "100vh and a margin",
      "body{min-height:100vh;margin:8px}",
      "observe(() => root.scrollHeight);",
    ],
    [
      "100vh, its body alone",
      "body{height:100vh;margin:16px}",
      "observe(() => document.body.offsetHeight + 40);",
    ],
    [
      "90vh",
      "body{margin:0} p{height:90vh;margin:0}",
      "observe(() => document.querySelector('p').offsetHeight);",
    ],
    ["margins that collapse", "p{margin:40px 0}", "observe(() => document.body.offsetHeight);"],
    [
      "two observers that differ",
      "",
      "observe(() => document.body.offsetHeight); observe(() => root.scrollHeight);",
    ],
    [
      "two observers, one of which follows the frame",
      "body{min-height:100vh;margin:8px}",
      "observe(() => document.querySelector('p').offsetHeight); observe(() => root.scrollHeight);",
    ],
    [
      "a timer",
      "body{min-height:100vh;margin:8px}",
      "setInterval(() => report(root.scrollHeight), 300);",
    ],
    [
      "a slow timer",
      "body{min-height:100vh;margin:8px}",
      "setInterval(() => report(root.scrollHeight), 1500);",
    ],
  ])("with %s settles in three steps and never turns back", async ([, style, script], context) => {
    const { expect } = context;
    const html = viewOf(`greet(); ${REPORT} ${script}`, `<p>${TEXT}</p>`, style);
    const page = await openSized(html, context);
    const sizes = await settle(page, 2500);
    expect(sizes.length).toBeLessThanOrEqual(3);
    expect(turnsOf(sizes)).toEqual([]);
    const height = await page.evaluate(() => window.kept.view.frame.element.offsetHeight);
    expect(height).toBe(sizes.at(-1));
  });

  test.concurrent.for([40, 150, 700])(
    "sees its content grow by a row every %i ms, to the last one",
    async (every, context) => {
      const { expect } = context;
      const script = `observe(() => root.scrollHeight);
      const grow = setInterval(() => {
        document.body.append(Object.assign(document.createElement("p"), { textContent: "A row" }));
        if (document.body.children.length > 14) clearInterval(grow);
      }, ${every});`;
      const style = "body{margin:0} p{margin:0;height:30.6px}";
      const page = await openSized(viewOf(`greet(); ${REPORT} ${script}`, "", style), context);
      const sizes = await settle(page, 2000);
      expect(turnsOf(sizes)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    },
  );
});
