import { STYLE_VARIABLES } from "@vitrine/protocol/apps";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { AppBridge } from "../../src/bridge/bridge.ts";
import { readOnly, scriptedUpstream, tool } from "../scripted-upstream.ts";
import {
  type AnyApp,
  connectView,
  createApp,
  createRoad,
  SDKS,
  shareRoad,
} from "./connected-view.ts";

const text = (value: string) => [{ type: "text" as const, text: value }];
const everything = (bridge: AppBridge): void => {
  bridge.onopenlink = () => ({});
  bridge.ondownloadfile = () => ({});
  bridge.onmessage = () => ({});
  bridge.onupdatemodelcontext = () => ({});
  bridge.onloggingmessage = () => {};
  bridge.oncreatesamplingmessage = () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  });
  bridge.onrequestdisplaymode = ({ mode }) => ({ mode });
  bridge.onstate = () => {};
};
const consent = (): boolean => true;

/** Records the events of a View's listeners, in order. */
function listen(app: AnyApp, received: [string, unknown][]): void {
  app.ontoolinputpartial = (params) => void received.push(["partial", params.arguments]);
  app.ontoolinput = (params) => void received.push(["input", params.arguments]);
  app.ontoolresult = (params) => void received.push(["result", params.structuredContent]);
  app.ontoolcancelled = (params) => void received.push(["cancelled", params.reason]);
  app.onhostcontextchanged = (params) => void received.push(["context", params]);
}

describe.each(SDKS)("a View of %s", (sdk) => {
  test("connects to a Host with every capability and the whole context (HST-40, HST-41)", async () => {
    const hostContext = {
      theme: "dark" as const,
      styles: {
        variables: Object.fromEntries(
          STYLE_VARIABLES.map((key) => [key, "light-dark(#fff, #000)"]),
        ) as never,
        css: { fonts: "@font-face {}" },
      },
      displayMode: "inline" as const,
      availableDisplayModes: ["inline" as const, "fullscreen" as const],
      containerDimensions: { maxHeight: 600, width: 320 },
      locale: "de-CH",
      timeZone: "Europe/Zurich",
      userAgent: "vitrine",
      platform: "web" as const,
      deviceCapabilities: { touch: true, hover: false },
      safeAreaInsets: { top: 0, right: 1, bottom: 2, left: 3 },
      toolInfo: { id: 7, tool: tool("forecast") },
      "vendor/x": { kept: true },
    };
    const { app, bridge } = await connectView(sdk, {
      hostContext,
      client: scriptedUpstream(),
      state: { page: 2 },
      sandbox: { csp: { connectDomains: ["https://a.example"] }, permissions: { camera: {} } },
      capabilities: { experimental: { "vendor/y": {} } },
      prepare: everything,
    });
    expect(app.getHostVersion()).toEqual({ name: "vitrine-host", version: "0.1.0" });
    expect(app.getHostContext()).toMatchObject({ ...hostContext, "vitrine/state": { page: 2 } });
    expect(app.getHostCapabilities()).toMatchObject({
      ...bridge.getCapabilities(),
      experimental: { "vendor/y": {}, "vitrine/state": {} },
    });
    expect(bridge.getAppVersion()).toMatchObject({ name: "interop", version: "1.2.3" });
  });

  test("connects to a Host whose context is half wrong, and gets the other half", async () => {
    const { app, diagnostics } = await connectView(sdk, {
      hostContext: {
        theme: "sepia",
        locale: "fr",
        platform: "fridge",
        safeAreaInsets: { top: 1 },
        toolInfo: { tool: { name: "x" } },
        availableDisplayModes: ["inline", "split"],
        styles: { variables: { "--font-sans": "serif", "--mine": "1" } },
      } as never,
      capabilities: { openLinks: true, sandbox: { permissions: { camera: true } } } as never,
    });
    expect(app.getHostContext()).toMatchObject({
      locale: "fr",
      availableDisplayModes: ["inline"],
      styles: { variables: { "--font-sans": "serif" } },
    });
    expect(app.getHostContext()).not.toHaveProperty("theme");
    expect(diagnostics.filter(({ code }) => code === "left-out").length).toBeGreaterThanOrEqual(5);
  });

  test("receives input, result and context changes in order, even if sent before it connected (HST-42 to HST-47)", async () => {
    const received: [string, unknown][] = [];
    const { bridge } = await connectView(
      sdk,
      {
        hostContext: { theme: "light" },
        prepare: (it) => {
          void it.sendToolResult({ content: text("12"), structuredContent: { celsius: 12 } });
          void it.sendToolInputPartial({ arguments: { city: "B" } });
          void it.sendToolInput({ arguments: { city: "Bern" } });
        },
      },
      { prepare: (app) => listen(app, received) },
    );
    await vi.waitFor(() => expect(received).toHaveLength(2));
    bridge.setHostContext({ theme: "dark" });
    await vi.waitFor(() => expect(received).toHaveLength(3));
    expect(received).toEqual([
      ["input", { city: "Bern" }],
      ["result", { celsius: 12 }],
      ["context", { theme: "dark" }],
    ]);
  });

  test("receives partial input, then a cancellation", async () => {
    const received: [string, unknown][] = [];
    const { bridge } = await connectView(sdk, {}, { prepare: (app) => listen(app, received) });
    await bridge.sendToolInputPartial({ arguments: { city: "B" } });
    await vi.waitFor(() => expect(received).toHaveLength(1));
    await bridge.sendToolCancelled({ reason: "stopped" });
    await vi.waitFor(() => expect(received).toHaveLength(2));
    expect(received).toEqual([
      ["partial", { city: "B" }],
      ["cancelled", "stopped"],
    ]);
  });

  test("receives a result without the content that it could not parse", async () => {
    const received: [string, unknown][] = [];
    const { bridge } = await connectView(sdk, {}, { prepare: (app) => listen(app, received) });
    await bridge.sendToolInput({ arguments: null as never });
    const content = [{ type: "hologram" } as never, ...text("kept")];
    await bridge.sendToolResult({ content, structuredContent: { a: 1 } });
    await vi.waitFor(() => expect(received).toHaveLength(2));
    expect(received[1]).toEqual(["result", { a: 1 }]);
  });

  test("calls its Server's tools, with progress, and is refused those that are not for it (HST-09)", async () => {
    const upstream = scriptedUpstream({
      tools: [readOnly("look"), readOnly("hidden", { _meta: { ui: { visibility: ["model"] } } })],
      answer: ({ params, options }) => {
        options.onprogress?.({ progress: 1, total: 2 });
        return { content: text(JSON.stringify(params.arguments)), structuredContent: { a: 1 } };
      },
    });
    const { app } = await connectView(sdk, { client: upstream });
    const progress = vi.fn();
    const result = await app.callServerTool(
      { name: "look", arguments: { city: "Bern" } },
      { onprogress: progress },
    );
    expect(result).toMatchObject({ content: text('{"city":"Bern"}'), structuredContent: { a: 1 } });
    expect(progress).toHaveBeenCalledWith(expect.objectContaining({ progress: 1, total: 2 }));
    await expect(app.callServerTool({ name: "hidden" })).rejects.toThrow(/not for apps/);
    expect(upstream.calls).toHaveLength(1);
  });

  test("cancels a call, also at the Server (HST-13)", async () => {
    let signal: AbortSignal | undefined;
    const upstream = scriptedUpstream({
      answer: ({ options }) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const { app } = await connectView(sdk, { client: upstream });
    const controller = new AbortController();
    const calling = app.callServerTool({ name: "look" }, { signal: controller.signal });
    await vi.waitFor(() => expect(signal).toBeDefined());
    controller.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
  });

  test("reads and lists resources", async () => {
    const upstream = scriptedUpstream({
      answer: ({ method }) =>
        method === "resources/read"
          ? { contents: [{ uri: "ui://a", text: "x" }] }
          : { resources: [{ uri: "ui://a", name: "a" }] },
    });
    const { app } = await connectView(sdk, { client: upstream });
    expect(await app.readServerResource({ uri: "ui://a" })).toMatchObject({
      contents: [{ uri: "ui://a", text: "x" }],
    });
    expect(await app.listServerResources()).toMatchObject({ resources: [{ name: "a" }] });
  });

  test("asks for links, messages, context, downloads, sampling and modes", async () => {
    const { app, bridge } = await connectView(
      sdk,
      {
        consent,
        prepare: everything,
        hostContext: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
      },
      { capabilities: { availableDisplayModes: ["inline", "fullscreen"] } },
    );
    expect(await app.openLink({ url: "https://a.example" })).toEqual({});
    expect(await app.sendMessage({ role: "user", content: text("hi") })).toEqual({});
    expect(await app.updateModelContext({ content: text("3 chosen") })).toEqual({});
    const contents = [{ type: "resource" as const, resource: { uri: "file:///a.txt", text: "x" } }];
    expect(await app.downloadFile({ contents })).toEqual({});
    const messages = [{ role: "user" as const, content: text("hi")[0] as never }];
    expect(await app.createSamplingMessage({ messages, maxTokens: 10 })).toMatchObject({
      content: { text: "sampled" },
    });
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toEqual({ mode: "fullscreen" });
    await vi.waitFor(() => expect(app.getHostContext()?.displayMode).toBe("fullscreen"));
    bridge.onmessage = () => ({ isError: true });
    expect(await app.sendMessage({ role: "user", content: text("again") })).toMatchObject({
      isError: true,
    });
  });

  test("reads a refusal as one (HST-14)", async () => {
    const { app, diagnostics } = await connectView(sdk, {
      prepare: everything,
      client: scriptedUpstream({ tools: [tool("write")] }),
    });
    expect(await app.openLink({ url: "javascript:alert(1)" })).toMatchObject({ isError: true });
    expect(await app.sendMessage({ role: "user", content: text("hi") })).toMatchObject({
      isError: true,
    });
    await expect(app.callServerTool({ name: "write" })).rejects.toMatchObject({ code: -32000 });
    expect(diagnostics.filter(({ code }) => code === "refused")).toHaveLength(3);
  });

  test("reports size and log, and asks to be closed (HST-52, HST-56, HST-83)", async () => {
    const { app, bridge } = await connectView(sdk, { prepare: everything });
    const received: unknown[] = [];
    bridge.onsizechange = (params) => received.push(params);
    bridge.onloggingmessage = (params) => received.push(params);
    bridge.onrequestteardown = () => received.push("teardown");
    await app.sendSizeChanged({ width: 300, height: 200 });
    await app.sendLog({ level: "info", data: "ready" });
    await app.requestTeardown();
    await vi.waitFor(() => expect(received).toHaveLength(3));
    expect(received).toEqual([
      { width: 300, height: 200 },
      { level: "info", data: "ready" },
      "teardown",
    ]);
  });

  test("is torn down, with and without a handler for it (HST-49, HST-51)", async () => {
    const handled = await connectView(
      sdk,
      {},
      {
        prepare: (app) => {
          app.onteardown = async () => ({ saved: true });
        },
      },
    );
    expect(await handled.bridge.teardownResource({ reason: "closed" })).toMatchObject({});
    expect(handled.methods("host")).toContain("ui/resource-teardown");
    const plain = await connectView(sdk);
    expect(await plain.bridge.teardownResource({})).toEqual({});
  });

  test("is notified when its Server's lists change", async () => {
    const upstream = scriptedUpstream();
    const { methods } = await connectView(sdk, { client: upstream });
    upstream.change("tools");
    upstream.change("resources");
    await vi.waitFor(() =>
      expect(methods("host")).toEqual([
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
      ]),
    );
  });

  test("answers and is answered pings (HST-84)", async () => {
    const { app, bridge } = await connectView(sdk);
    expect(await bridge.peer.request("ping")).toEqual({});
    // 1.7.5 wants a schema here, 2.0.4 takes one.
    expect(await app.request({ method: "ping" }, z.looseObject({}) as never)).toEqual({});
  });

  test("offers tools of its own (HST-90)", async () => {
    const list = async () => ({
      tools: [{ name: "move", inputSchema: { type: "object" as const } }],
    });
    const { bridge } = await connectView(
      sdk,
      {},
      {
        capabilities: { tools: { listChanged: true } },
        prepare: (app) => {
          app.onlisttools = list as never;
          app.oncalltool = async ({ name }: { name: string }) => ({ content: text(`did ${name}`) });
        },
      },
    );
    expect(await bridge.listTools()).toMatchObject({ tools: [{ name: "move" }] });
    expect(await bridge.callTool({ name: "move", arguments: {} })).toMatchObject({
      content: text("did move"),
    });
  });

  test.each([
    ["at once", true],
    ["one after the other", false],
  ])(
    "mounted twice in one page, as React does in development, connects both times: %s",
    async (_, atOnce) => {
      const road = createRoad([]);
      const bridge = new AppBridge(
        null,
        { name: "h", version: "1" },
        {},
        { hostContext: { locale: "de" } },
      );
      await bridge.connect(road.host);
      const ends = shareRoad(road.view, 2);
      const apps = [createApp(sdk), createApp(sdk)];
      const connect = (n: number): Promise<void> | undefined => apps[n]?.connect(ends[n] as never);
      if (atOnce) await Promise.all([connect(0), connect(1)]);
      else for (const n of [0, 1]) await connect(n);
      for (const app of apps) expect(app.getHostContext()).toMatchObject({ locale: "de" });
      await vi.waitFor(() => expect(bridge.initialized).toBe(true));
      await bridge.close();
    },
  );
});
