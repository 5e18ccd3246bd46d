// The whole way in one browser: a View in the Sandbox, the Host's page, the gateway, a server that is a
// program with JSON lines. Each gap that was once found in such a chain (G1 to G8) is a test of its own.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createStdioUpstream } from "../../src/upstreams/index.ts";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, openStage, TOKEN, upstreamTo } from "../stage.ts";
import { boardView } from "./board-view.ts";
import type {} from "./pages/chain.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/chain.ts", import.meta.url);
const VIEW = "ui://board/view.html";
let stage: HostStage;
let gateway: GatewayStage;
let bare: RawServer;
let folder: string;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-chain-"));
  const html = await boardView();
  await writeFile(join(folder, "view.html"), html);
  bare = await serveRaw([tool("show", { _meta: { ui: { resourceUri: VIEW } } })]);
  bare.answers["resources/read"] = ({ uri }) => ({
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html }],
    ttlMs: 0,
  });
  stage = await openHostStage({ registration: "credential" });
  gateway = await openGateway();
  stage.connects.push(gateway.url, gateway.url.replace("http", "ws"));
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await bare?.[Symbol.asyncDispose]();
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => page?.close());

/** Two boards, each a process of its own, and a server that has little. */
function openGateway(port = 0): Promise<GatewayStage> {
  const board = (id: string) => {
    const program = fileURLToPath(new URL("./servers/board.ts", import.meta.url));
    const argv: [string, ...string[]] = [
      process.execPath,
      "--experimental-strip-types",
      "--no-warnings",
      program,
      id,
      join(folder, "view.html"),
    ];
    return { upstream: createStdioUpstream({ id, argv }) };
  };
  return openStage({
    port,
    origins: [stage.hostOrigin],
    sandbox: { entrance: stage.entrance, issue: stage.sandbox.issueCredential },
    servers: {
      kitchen: board("kitchen"),
      garden: board("garden"),
      bare: { upstream: upstreamTo(bare.url) },
    },
  });
}

/** Shows a View; the answer is its document. */
async function show(key: string, server = "kitchen"): Promise<Frame> {
  if (!page || page.isClosed()) {
    page = await openHostPage(stage, { program: PROGRAM });
    await page.evaluate((options) => window.chain.open(options), {
      entrance: stage.entrance,
      gateway: gateway.url,
      token: TOKEN,
    });
  }
  const before = new Set(viewFrames());
  await page.evaluate((showing) => window.chain.show(showing), { key, server, resource: VIEW });
  await page.waitForFunction((key) => window.chain.host.views.get(key)?.stage === "shown", key, {
    timeout: 20_000,
  });
  const view = viewFrames().find((frame) => !before.has(frame));
  if (!view) throw new Error("The View has no document.");
  await view.waitForFunction(() => document.body.dataset.result);
  return view;
}

function viewFrames(): Frame[] {
  return page.frames().filter((frame) => frame.url().includes("/v/"));
}

/** What a View asks its Host. */
function ask<Result>(
  view: Frame,
  method: string,
  params: Record<string, unknown> = {},
): Promise<Result> {
  return view.evaluate(
    ({ method, params }) =>
      window.app
        .request({ method, params })
        .catch(({ code, message }) => ({ refused: code, message })),
    { method, params },
  ) as Promise<Result>;
}

interface Added {
  structuredContent: { board: string; process: number; notes: string[] };
}

const add = (view: Frame, note: string): Promise<Added> =>
  ask(view, "tools/call", { name: "add", arguments: { note } });

describe("the seed's chain", () => {
  test("works: a View calls a tool of a stdio server and receives its progress and result", async () => {
    const view = await show("chain");
    expect(await view.evaluate(() => document.body.dataset.result)).toBe("kitchen is shown");
    const { structuredContent } = await add(view, "milk");
    expect(structuredContent).toMatchObject({
      board: "kitchen",
      notes: expect.arrayContaining(["milk"]),
    });
    expect(structuredContent.process).not.toBe(process.pid);
    const told = await view.evaluate(async () => {
      const told: unknown[] = [];
      const onprogress = ({ progress, total }: { progress: number; total?: number }) =>
        told.push([progress, total]);
      await window.app.callServerTool({ name: "count", arguments: {} }, { onprogress });
      return told;
    });
    expect(told).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    // The user was asked for what may change something, and for nothing else.
    expect(await page.evaluate(() => window.chain.asked)).toEqual(["add"]);
  });

  test("blocks tools for the model only, at the Host and at the gateway", async () => {
    const view = await show("visibility");
    const call = { name: "hidden", arguments: {} };
    expect(await ask(view, "tools/call", call)).toHaveProperty("refused");
    // As a page would that has lost its Host's checks.
    const code = await page.evaluate(async (call) => {
      const upstream = window.chain.upstreams.get("visibility");
      return upstream?.request("tools/call", call).catch((error) => error.data?.reason);
    }, call);
    expect(code).toBe("unknown-tool");
    const { tools } = await ask<{ tools: { name: string }[] }>(view, "tools/list");
    expect(tools.map(({ name }) => name)).not.toContain("hidden");
  });
});

describe("the seed's gaps", () => {
  test("G1: nothing is looked up for a View: its ticket alone leads to its server, after a restart with no memory too", async () => {
    const kitchen = await show("auto-5f1c");
    const garden = await show("auto-9b2e", "garden");
    const before = await add(kitchen, "salt");
    expect(before.structuredContent.board).toBe("kitchen");
    expect((await add(garden, "rake")).structuredContent.board).toBe("garden");
    const { port } = gateway;
    await gateway[Symbol.asyncDispose]();
    gateway = await openGateway(port);
    const after = await add(kitchen, "salt");
    expect(after.structuredContent).toMatchObject({ board: "kitchen", notes: ["salt"] });
    expect(after.structuredContent.process).not.toBe(before.structuredContent.process);
    expect((await add(garden, "rake")).structuredContent.board).toBe("garden");
  });

  test("G2: a View reads resources while it runs, its own document among them", async () => {
    const view = await show("reads");
    await add(view, "tea");
    const read = (uri: string) =>
      ask<{ contents: { uri: string; text: string }[] }>(view, "resources/read", { uri });
    expect(JSON.parse((await read("board://notes")).contents[0]?.text ?? "")).toContain("tea");
    expect((await read(VIEW)).contents[0]?.text).toContain("<title>Board</title>");
  });

  test("G3: resources/list goes the whole way", async () => {
    const view = await show("lists resources");
    const { resources } = await ask<{ resources: { uri: string }[] }>(view, "resources/list");
    expect(resources.map(({ uri }) => uri).sort()).toEqual(["board://notes", VIEW]);
  });

  test("G4: resources/templates/list goes the whole way", async () => {
    const view = await show("lists templates");
    expect(await ask(view, "resources/templates/list")).toMatchObject({
      resourceTemplates: [{ uriTemplate: "board://note/{id}", name: "note" }],
    });
  });

  test("G5: prompts/list goes the whole way", async () => {
    const view = await show("lists prompts");
    expect(await ask(view, "prompts/list")).toMatchObject({
      prompts: [{ name: "summary", description: "Sums the notes up" }],
    });
  });

  test("G6: a View receives its server's real capabilities, and their changes", async () => {
    const view = await show("capabilities");
    const told = (frame: Frame) => frame.evaluate(() => window.app.getHostCapabilities());
    expect(await told(view)).toMatchObject({
      serverTools: { listChanged: true },
      serverResources: { listChanged: true },
    });
    await ask(view, "tools/call", { name: "stir", arguments: {} });
    await view.waitForFunction(() => window.changedLists.includes("tools"), undefined, {
      timeout: 10_000,
    });
    // A server whose resources never change, and that has no prompts.
    const other = await show("fewer capabilities", "bare");
    expect(await told(other)).toMatchObject({
      serverTools: { listChanged: true },
      serverResources: {},
    });
    expect(await told(other)).not.toHaveProperty("serverResources.listChanged");
    expect(await ask(other, "prompts/list")).toMatchObject({ refused: -32601 });
  });

  test("G7: calls go over one open WebSocket, none as a separate HTTP request", async () => {
    const view = await show("fast");
    await ask(view, "tools/call", { name: "show", arguments: {} });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const times = await view.evaluate(async () => {
      const times: number[] = [];
      for (let count = 0; count < 30; count++) {
        const began = performance.now();
        await window.app.callServerTool({ name: "show", arguments: {} });
        times.push(performance.now() - began);
      }
      return times.sort((one, other) => one - other);
    });
    expect(requests.filter((url) => url.startsWith(gateway.url))).toEqual([]);
    const carrier = await page.evaluate(() => window.chain.upstreams.get("fast")?.carrier);
    expect(carrier).toBe("websocket");
    // Where the seed's chain took 100 to 500 ms for each; half of them are far below that here.
    expect(times[15]).toBeLessThan(100);
  });

  test("G8: ui:// is the only scheme of a View, never rewritten and never replaced", async () => {
    const view = await show("scheme");
    const { tools } = await ask<{ tools: { name: string; _meta?: object }[] }>(view, "tools/list");
    const shown = tools.find(({ name }) => name === "show");
    expect(shown?._meta).toEqual({ ui: { resourceUri: VIEW } });
    const context = await view.evaluate(() => window.app.getHostContext()?.toolInfo?.tool._meta);
    expect(context).toEqual({ ui: { resourceUri: VIEW } });
    const other = "mcp-app://board/view.html";
    expect(await ask(view, "resources/read", { uri: other })).toMatchObject({ refused: -32602 });
    const code = await page.evaluate(
      (resource) =>
        window.chain
          .show({ key: "other", server: "kitchen", resource })
          .catch((error) => error.code),
      other,
    );
    expect(code).toBe("gateway-refused");
  });
});
