import { turn } from "@vitrine/internal/scripted-host";
import { describe, expect, test } from "vitest";
import { connectApp } from "./connect-app.ts";

describe("what a View asks goes out as it was given", () => {
  test.each([
    ["callServerTool", "tools/call", { name: "t", arguments: { a: 1 } }],
    ["readServerResource", "resources/read", { uri: "ui://x/y" }],
    ["readResource", "resources/read", { uri: "ui://x/y" }],
    ["listServerResources", "resources/list", { cursor: "c" }],
    ["sendMessage", "ui/message", { role: "user", content: [{ type: "text", text: "hi" }] }],
    ["openLink", "ui/open-link", { url: "https://example.com/" }],
    ["sendOpenLink", "ui/open-link", { url: "https://example.com/" }],
    ["downloadFile", "ui/download-file", { contents: [] }],
    ["updateModelContext", "ui/update-model-context", { structuredContent: { x: 1 } }],
    ["requestDisplayMode", "ui/request-display-mode", { mode: "inline" }],
    ["createSamplingMessage", "sampling/createMessage", { messages: [], maxTokens: 1 }],
  ] as const)("%s sends %s", async (name, method, params) => {
    const result = { echoed: method, content: [] };
    const { app, host } = await connectApp({
      hostCapabilities: { sampling: {} },
      answers: { [method]: result },
    });
    const ask = app[name] as (params: object) => Promise<unknown>;
    expect(await ask(params)).toEqual(result);
    expect(host.last(method)?.params).toMatchObject(params);
  });

  test.each([
    ["requestTeardown", "ui/notifications/request-teardown", {}],
    ["sendLog", "notifications/message", { level: "warning", data: "x" }],
    ["sendToolListChanged", "notifications/tools/list_changed", {}],
    ["sendSizeChanged", "ui/notifications/size-changed", { width: 1, height: 2 }],
  ] as const)("%s sends %s, and waits for no answer", async (name, method, params) => {
    const { app, host } = await connectApp();
    const tell = app[name] as (params: object) => Promise<void>;
    expect(await tell(params)).toBeUndefined();
    await turn();
    expect(host.last(method)).toEqual({ jsonrpc: "2.0", method, params });
  });

  test("requestTeardown needs no params (VEW-14)", async () => {
    const { app, host } = await connectApp();
    await app.requestTeardown();
    await turn();
    expect(host.last("ui/notifications/request-teardown")?.params).toEqual({});
  });

  test("updateModelContext may be sent, replaced and cleared (VEW-07)", async () => {
    const { app, host } = await connectApp();
    await app.updateModelContext({ content: [{ type: "text", text: "one" }] });
    await app.updateModelContext({ structuredContent: { two: 2 } });
    await app.updateModelContext({});
    expect(host.all("ui/update-model-context").map(({ params }) => params)).toEqual([
      { content: [{ type: "text", text: "one" }] },
      { structuredContent: { two: 2 } },
      {},
    ]);
  });

  test("task metadata and unknown members pass through both ways (VEW-24)", async () => {
    const task = { taskId: "t-1", status: "working", ttl: 60_000, pollInterval: 500 };
    const { app, host } = await connectApp({
      answers: {
        "tools/call": { task, _meta: { x: 1 } },
        "tasks/get": { ...task, status: "completed" },
      },
    });
    const params = { name: "long", arguments: {}, task: { ttl: 60_000 } };
    expect(await app.callServerTool(params)).toEqual({ task, _meta: { x: 1 } });
    expect(host.last("tools/call")?.params).toMatchObject(params);
    expect(await app.request({ method: "tasks/get", params: { taskId: "t-1" } })).toMatchObject({
      status: "completed",
    });
  });

  test("any other request or notification can be sent too", async () => {
    const { app, host } = await connectApp({ answers: { "prompts/list": { prompts: [] } } });
    expect(await app.request({ method: "prompts/list" })).toEqual({ prompts: [] });
    await app.notification({ method: "vendor/hello", params: { x: 1 } });
    await turn();
    expect(host.last("vendor/hello")).toEqual({
      jsonrpc: "2.0",
      method: "vendor/hello",
      params: { x: 1 },
    });
  });
});

describe("a tool call", () => {
  test("asks for progress, so that a long one outlives the timeout", async () => {
    const { app, host } = await connectApp({ answers: { "tools/call": { content: [] } } });
    await app.callServerTool({ name: "t", _meta: { own: 1 } });
    const call = host.last("tools/call");
    expect(call?.params?._meta).toEqual({ own: 1, progressToken: call?.id });
  });

  test("leaves the author's params as they were", async () => {
    const { app } = await connectApp({ answers: { "tools/call": { content: [] } } });
    const params = Object.freeze({ name: "t", arguments: Object.freeze({ a: 1 }) });
    await app.callServerTool(params);
    expect(params).toEqual({ name: "t", arguments: { a: 1 } });
  });

  test("given positionally throws, and sends nothing", async () => {
    const { app, host } = await connectApp();
    const positional = app.callServerTool as unknown as (
      name: string,
      args: object,
    ) => Promise<unknown>;
    await expect(positional("weather", { city: "Bern" })).rejects.toMatchObject({
      code: "positional",
      message: expect.stringContaining("tools/call"),
    });
    expect(host.methods).not.toContain("tools/call");
  });

  test("keeps an error result a result, not an exception", async () => {
    const failed = { isError: true, content: [{ type: "text", text: "no" }] };
    const { app } = await connectApp({ answers: { "tools/call": failed } });
    expect(await app.callServerTool({ name: "t" })).toEqual(failed);
  });

  test("that policy refuses rejects: its caller cannot do without an answer", async () => {
    const { app } = await connectApp({
      answers: {
        "tools/call": () => {
          throw { code: -32000, message: "Denied" };
        },
      },
    });
    await expect(app.callServerTool({ name: "t" })).rejects.toMatchObject({ code: -32000 });
  });
});

describe("what the user may decline", () => {
  const decline = () => {
    throw { code: -32000, message: "Denied by the user" };
  };

  test.each([
    ["openLink", "ui/open-link", { url: "https://example.com/" }],
    ["sendMessage", "ui/message", { role: "user", content: [] }],
    ["downloadFile", "ui/download-file", { contents: [] }],
  ] as const)(
    "%s resolves with isError, whichever way the Host declines",
    async (name, method, params) => {
      const byError = await connectApp({ answers: { [method]: decline } });
      const ask = byError.app[name] as (params: object) => Promise<{ isError?: boolean }>;
      expect(await ask(params)).toEqual({ isError: true, message: "Denied by the user" });
      const byResult = await connectApp({ answers: { [method]: { isError: true } } });
      const askAgain = byResult.app[name] as typeof ask;
      expect(await askAgain(params)).toEqual({ isError: true });
    },
  );

  test("other errors still reject", async () => {
    const { app } = await connectApp({
      answers: {
        "ui/open-link": () => {
          throw { code: -32601, message: "Method not found" };
        },
      },
    });
    await expect(app.openLink({ url: "https://x.y" })).rejects.toMatchObject({ code: -32601 });
  });
});

describe("display modes", () => {
  test("that the Host does not offer are refused here (VEW-04)", async () => {
    const { app, host } = await connectApp({
      hostContext: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    await expect(app.requestDisplayMode({ mode: "pip" })).rejects.toMatchObject({
      code: "no-mode",
      message: expect.stringContaining("pip"),
    });
    expect(host.methods).not.toContain("ui/request-display-mode");
  });

  test("with an older name are requested by today's name", async () => {
    const { app, host } = await connectApp({
      hostContext: { availableDisplayModes: ["inline", "pip"] },
      answers: { "ui/request-display-mode": (params: unknown) => params },
    });
    const mode = "picture-in-picture" as "pip";
    await expect(app.requestDisplayMode({ mode })).resolves.toEqual({ mode: "pip" });
    expect(host.methods).toContain("ui/request-display-mode");
  });

  test("that it offers are asked for; those of a change count (VEW-04)", async () => {
    const { app, host } = await connectApp({
      hostContext: { availableDisplayModes: ["inline"] },
      answers: { "ui/request-display-mode": { mode: "fullscreen" } },
    });
    host.notify("ui/notifications/host-context-changed", {
      availableDisplayModes: ["inline", "fullscreen"],
    });
    await turn();
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toEqual({ mode: "fullscreen" });
  });

  test("are asked for where the Host lists none: it may still know better", async () => {
    const { app } = await connectApp({
      answers: { "ui/request-display-mode": { mode: "inline" } },
    });
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toEqual({ mode: "inline" });
  });

  test("may come back as another mode, and that is the answer (VEW-05)", async () => {
    const { app } = await connectApp({
      hostContext: { availableDisplayModes: ["inline", "fullscreen"] },
      answers: { "ui/request-display-mode": { mode: "inline" } },
    });
    expect((await app.requestDisplayMode({ mode: "fullscreen" })).mode).toBe("inline");
  });
});

describe("sampling", () => {
  const params = { messages: [], maxTokens: 10 };

  test("is refused here when the Host has not offered it (VEW-15)", async () => {
    const { app, host } = await connectApp();
    await expect(app.createSamplingMessage(params)).rejects.toMatchObject({ code: "no-sampling" });
    expect(host.methods).not.toContain("sampling/createMessage");
  });

  test("with tools is refused here when the Host has not offered that (VEW-16)", async () => {
    const { app, host } = await connectApp({ hostCapabilities: { sampling: {} } });
    await expect(app.createSamplingMessage({ ...params, tools: [] })).rejects.toMatchObject({
      code: "no-sampling",
    });
    expect(host.methods).not.toContain("sampling/createMessage");
  });

  test("goes out with what was offered", async () => {
    const { app, host } = await connectApp({
      hostCapabilities: { sampling: { tools: {} } },
      answers: { "sampling/createMessage": { role: "assistant", content: [], model: "m" } },
    });
    await app.createSamplingMessage({ ...params, tools: [] });
    expect(host.last("sampling/createMessage")?.params).toEqual({ ...params, tools: [] });
  });
});
