import type { BridgeVersion } from "@vitrine/internal/official-bridge";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { bundlePage } from "./relay-bundles.ts";
import { openScene } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

// Seconds on a busy machine; a bundle and a page of the official SDK are large.
vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const V2 = "2.0.4";
const V1 = "1.7.5";
const PAIRS = [
  { version: V2, sdk: "our SDK", alias: { "ext-apps-v2": "@vitrine/view" } },
  { version: V2, sdk: `the official App ${V2}`, alias: {} },
  { version: V1, sdk: "our SDK", alias: { "ext-apps-v2": "@vitrine/view" } },
  { version: V1, sdk: `the official App ${V1}`, alias: { "ext-apps-v2": "ext-apps-v1" } },
] as const;

async function openView(version: BridgeVersion, alias: Record<string, string>): Promise<Page> {
  const html = `<!doctype html><body><script>${await bundlePage("tool-view", alias)}</script>`;
  const page = await stage.openHost("official-host");
  onTestFinished(() => page.close());
  await page.evaluate(([url, version, html]) => window.official.embed(url, version, html), [
    `${stage.proxyOrigin}/`,
    version,
    html,
  ] as const);
  await page.waitForFunction(() => window.official.logs.length > 0, null, { timeout: 10_000 });
  return page;
}

describe.each(PAIRS)("the official AppBridge $version around a View of $sdk", (pair) => {
  test("gets through to a tool call and to the end, unaware of us (SBX-10, SBX-11)", async () => {
    const page = await openView(pair.version, pair.alias);
    const { ready, initialized, calls, logs, lines } = await page.evaluate(() => ({
      ...window.official,
      embed: undefined,
      teardown: undefined,
    }));
    expect({ ready, initialized }).toEqual({ ready: 1, initialized: true });
    expect(calls).toEqual([
      expect.objectContaining({
        name: "report",
        arguments: { input: { city: "Oslo" }, content: [{ type: "text", text: "rain" }] },
      }),
    ]);
    expect(logs).toEqual([
      { level: "info", logger: "view", data: { answer: [{ type: "text", text: "echo" }] } },
    ]);
    expect(lines.map(({ from, message }) => `${from} ${message.method ?? "answer"}`)).toEqual([
      "view ui/notifications/sandbox-proxy-ready",
      "host ui/notifications/sandbox-resource-ready",
      "view ui/initialize",
      "host answer",
      "view ui/notifications/initialized",
      "host ui/notifications/tool-input",
      "host ui/notifications/tool-result",
      "view tools/call",
      "host answer",
      "view notifications/message",
    ]);
    expect(await page.evaluate(() => window.official.teardown())).toEqual({ goodbye: true });
  });
});

describe("a Host that has text", () => {
  test.each([
    ["our SDK, which takes a port and reads it itself", { "ext-apps-v2": "@vitrine/view" }],
    [`the official App ${V2}, for which the relay reads it`, {}],
    [`the official App ${V1}, for which the relay reads it`, { "ext-apps-v2": "ext-apps-v1" }],
  ])("sends it to a View of %s", async (_what, alias: Record<string, string>) => {
    const html = `<!doctype html><body><script>${await bundlePage("tool-view", alias)}</script>`;
    const scene = await openScene(stage, { mode: "port", html });
    const send = (message: object): Promise<void> =>
      scene.tell({ text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
    const { id } = (await scene.until("ui/initialize")).at(-1) ?? {};
    const result = {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "text", version: "1.0.0" },
      hostCapabilities: { serverTools: {}, logging: {} },
      hostContext: {},
    };
    await send({ id, result });
    await scene.until("ui/notifications/initialized");
    const content = [{ type: "text", text: "rain ".repeat(200_000) }];
    const input = { city: "Oslo" };
    await send({ method: "ui/notifications/tool-input", params: { arguments: input } });
    await send({ method: "ui/notifications/tool-result", params: { content } });
    // What the View makes of it is just below what may be sent back.
    const call = (await scene.until("tools/call")).find(({ method }) => method === "tools/call");
    expect(call?.params).toMatchObject({ name: "report", arguments: { input, content } });
    await send({ id: call?.id, result: { content: [{ type: "text", text: "echo" }] } });
    const log = (await scene.until("notifications/message")).at(-1)?.params;
    expect(log).toMatchObject({ data: { answer: [{ type: "text", text: "echo" }] } });
  });
});
