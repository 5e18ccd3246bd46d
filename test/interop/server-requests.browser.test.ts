import { describe, expect, test, vi } from "vitest";
import { mount, PAIRINGS, UNDER } from "./mounted-view.ts";

const text = { type: "text" as const, text: "hello" };
const sampling = { messages: [{ role: "user", content: text }], maxTokens: 50 };
const answer = { model: "m-1", role: "assistant" as const, content: text, stopReason: "endTurn" };
const tools = [{ name: "clock", inputSchema: { type: "object" } }];

describe.each(PAIRINGS)(UNDER, (pairing) => {
  test("resources/read reaches the bridge and brings back text and blob contents", async () => {
    const contents = [
      { uri: "ui://a", mimeType: "text/html;profile=mcp-app", text: "<p>", _meta: { ui: {} } },
      { uri: "ui://b", blob: "AAAA" },
    ];
    const handler = vi.fn(async () => ({ contents }));
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onreadresource = handler;
      },
    });
    expect(await view.call("readServerResource", { uri: "ui://a" })).toMatchObject({ contents });
    expect(handler.mock.calls[0]?.at(0)).toMatchObject({ uri: "ui://a" });
  });

  test("resources/list reaches the bridge, page by page", async () => {
    const handler = vi.fn(async (params?: { cursor?: string | undefined }) =>
      params?.cursor
        ? { resources: [] }
        : { resources: [{ uri: "ui://a", name: "a" }], nextCursor: "2" },
    );
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onlistresources = handler;
      },
    });
    expect(await view.call("listServerResources")).toMatchObject({
      resources: [{ uri: "ui://a", name: "a" }],
      nextCursor: "2",
    });
    expect(await view.call("listServerResources", { cursor: "2" })).toMatchObject({
      resources: [],
    });
    expect(handler.mock.calls[1]?.[0]).toMatchObject({ cursor: "2" });
  });

  test("resources/templates/list reaches the bridge through request()", async () => {
    const resourceTemplates = [{ uriTemplate: "ui://{id}", name: "by id" }];
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onlistresourcetemplates = async () => ({ resourceTemplates });
      },
    });
    expect(await view.call("request", { method: "resources/templates/list" })).toMatchObject({
      resourceTemplates,
    });
  });

  test("prompts/list reaches the bridge through request()", async () => {
    const prompts = [{ name: "greet", arguments: [{ name: "who", required: true }] }];
    const { view } = await mount(pairing, {
      bridge: (bridge) => {
        bridge.onlistprompts = async () => ({ prompts });
      },
    });
    expect(await view.call("request", { method: "prompts/list" })).toMatchObject({ prompts });
  });

  test.each(["resources/list", "resources/templates/list", "prompts/list"])(
    "%s rejects with -32601 on a host that does not proxy it",
    async (method) => {
      const { view } = await mount(pairing);
      await expect(view.call("request", { method })).rejects.toMatchObject({ code: -32601 });
    },
  );

  test("sampling/createMessage reaches a host that offers it (VEW-15)", async () => {
    const handler = vi.fn(async () => answer);
    const { view } = await mount(pairing, {
      capabilities: { sampling: {} },
      bridge: (bridge) => {
        bridge.oncreatesamplingmessage = handler;
      },
    });
    expect(await view.call("createSamplingMessage", sampling)).toMatchObject(answer);
    expect(handler.mock.calls[0]?.at(0)).toMatchObject(sampling);
  });

  test("sampling/createMessage without the capability stays in the View (VEW-15)", async () => {
    const { view, sent } = await mount(pairing);
    await expect(view.call("createSamplingMessage", sampling)).rejects.toMatchObject({
      name: "LocalError",
      code: "no-sampling",
    });
    expect(sent()).not.toContain("sampling/createMessage");
  });

  test("sampling/createMessage with tools reaches a host that offers sampling.tools (VEW-16)", async () => {
    const withTools = {
      ...answer,
      stopReason: "toolUse",
      content: [{ type: "tool_use" as const, id: "c1", name: "clock", input: { zone: "UTC" } }],
    };
    const handler = vi.fn(async () => withTools);
    const { view } = await mount(pairing, {
      capabilities: { sampling: { tools: {} } },
      bridge: (bridge) => {
        bridge.oncreatesamplingmessage = handler;
      },
    });
    expect(await view.call("createSamplingMessage", { ...sampling, tools })).toMatchObject(
      withTools,
    );
    expect(handler.mock.calls[0]?.at(0)).toMatchObject({ tools });
  });

  test("sampling/createMessage with tools, on a host that samples without, stays in the View (VEW-16)", async () => {
    const { view, sent } = await mount(pairing, { capabilities: { sampling: {} } });
    await expect(view.call("createSamplingMessage", { ...sampling, tools })).rejects.toMatchObject({
      code: "no-sampling",
    });
    expect(sent()).not.toContain("sampling/createMessage");
  });
});
