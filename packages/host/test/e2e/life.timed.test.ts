import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";
import { openView, untilReceived, viewFrame, viewOf } from "./scene.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

describe("live Views", () => {
  test("those scrolled out of sight make room, those in the top layer do not", async () => {
    const page = await openPartsPage(stage);
    await page.evaluate(() => {
      const { createLiveViews, createSurface } = window.parts;
      const live = createLiveViews({ limit: 3 });
      const events: string[] = [];
      const surfaces = ["a", "b", "c", "d", "e"].map((name) => {
        const surface = createSurface({ title: name, server: name, modes: ["pip"] });
        surface.setSize({ height: 1000 });
        surface.attach(document.body);
        return { name, surface };
      });
      const add = (index: number): void => {
        const { name, surface } = surfaces[index] as (typeof surfaces)[0];
        const view = {
          suspend: () => events.push(`suspend ${name}`),
          resume: () => {
            events.push(`resume ${name}`);
            live.add(view, surface.body);
          },
        };
        live.add(view, surface.body);
      };
      Object.assign(window.kept, { events, add, surfaces });
      for (const index of [0, 1, 2]) add(index);
      surfaces[0]?.surface.setMode("pip");
    });
    const events = () => page.evaluate(() => window.kept.events);
    // The browser tells what is on screen when it has drawn, and a busy machine draws late.
    await page.waitForTimeout(500);
    await page.evaluate(() => scrollTo(0, 4200));
    await page.waitForTimeout(1000);
    await page.evaluate(() => window.kept.add(4));
    // "a" is in a corner of the screen although its place is far away, and "b" was seen there before.
    expect(await events()).toEqual(["suspend c"]);
    await page.evaluate(() => scrollTo(0, 1300));
    await expect.poll(events).toEqual(["suspend c", "resume c", expect.stringMatching(/^suspend/)]);
  });
});

describe("the health of a View", () => {
  test("is asked for by a ping that crosses the Sandbox, and missed when the View hangs", async () => {
    const page = await openPartsPage(stage);
    const html = viewOf(`greet();
      addEventListener("message", ({ data }) => {
        if (data.method === "ping") send({ id: data.id, result: {} });
        if (data.method === "test/hang") for (;;);
      });`);
    await openView(page, stage, { html });
    await untilReceived(page, "ui/notifications/initialized");
    await page.evaluate(() => {
      const { view } = window.kept;
      const waiting = new Map<unknown, (value: unknown) => void>();
      const told: string[] = [];
      let id = 0;
      view.channel.onmessage = (message: { id?: unknown }) => waiting.get(message.id)?.(message);
      Object.assign(window.kept, { told, answers: 0 });
      window.parts.watchHealth({
        ping: () =>
          new Promise((resolve) => {
            const answer = (value: unknown): void => {
              window.kept.answers++;
              resolve(value);
            };
            waiting.set(++id, answer);
            view.channel.send({ jsonrpc: "2.0", id, method: "ping" });
          }),
        isRelayAlive: async () => (await view.frame.isUserActive()) !== undefined,
        onSilent: (code) => told.push(code),
        silence: 1,
        patience: 2,
      });
    });
    await page.waitForFunction(() => window.kept.answers > 1);
    expect(await page.evaluate(() => window.kept.told)).toEqual([]);
    await page.evaluate(() =>
      window.kept.view.channel.send({ jsonrpc: "2.0", method: "test/hang" }),
    );
    await expect
      .poll(() => page.evaluate(() => window.kept.told), { timeout: 10_000 })
      .toEqual(["unresponsive"]);
    await page.evaluate(() => window.kept.view.frame.close());
  });
});

describe("a large message", () => {
  const ROWS = 3000;

  const KEEP = `
    const told = (window.told = []);
    app.ontoolinput = ({ arguments: args }) => told.push(["input", args.a]);
    app.ontoolresult = ({ content }) => told.push(["result", content.length]);
    app.ontoolcancelled = ({ reason }) => told.push(["cancelled", reason]);`;

  async function receive(sdk: string) {
    const page = await openPartsPage(stage);
    await openView(page, stage, { html: await sdkView(KEEP, { sdk }) });
    await page.evaluate(() => {
      const { view } = window.kept;
      const result = {
        protocolVersion: "2026-01-26",
        hostInfo: { name: "h", version: "1" },
        hostCapabilities: {},
        hostContext: {},
      };
      const answer = (message: { id?: unknown; method?: string }): void => {
        if (message.method === "ui/initialize") {
          view.channel.send({ jsonrpc: "2.0", id: message.id, result });
        }
      };
      view.received.forEach(answer);
      const { onmessage } = view.channel;
      view.channel.onmessage = (message: object) => {
        onmessage(message);
        answer(message);
      };
    });
    await untilReceived(page, "ui/notifications/initialized");
    await page.evaluate((rows) => {
      const content = Array.from({ length: rows }, (_, i) => ({
        type: "text",
        text: `row ${i} of many`,
      }));
      const { channel } = window.kept.view;
      const note = (method: string, params: object) =>
        channel.send({ jsonrpc: "2.0", method: `ui/notifications/${method}`, params });
      note("tool-input", { arguments: { a: 1 } });
      note("tool-result", { content });
      note("tool-cancelled", { reason: "after" });
    }, ROWS);
    const view = await viewFrame(page);
    await expect.poll(() => view.evaluate("JSON.stringify(window.told ?? [])")).toContain("after");
    const told = await view.evaluate<[string, unknown][]>("window.told");
    return told;
  }

  test.each(["@vitrine/view", "ext-apps-v2"])(
    "reaches a View of %s whole and in its turn",
    async (sdk) => {
      expect(await receive(sdk)).toEqual([
        ["input", 1],
        ["result", ROWS],
        ["cancelled", "after"],
      ]);
    },
  );
});
