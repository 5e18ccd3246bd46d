import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as TransportV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { openViewFolder, type ViewFolder } from "../../src/discovery/index.ts";
import { registerAppTool } from "../../src/registration.ts";
import { page, viewRoot } from "./view-root.ts";

interface Connected {
  list(): Promise<{ uri: string; mimeType?: string | undefined; _meta?: object | undefined }[]>;
  read(uri: string): Promise<{ text?: string; _meta?: object }>;
  changes(): number;
  close(): Promise<void>;
}

const info = { name: "Weather Server", version: "1.0.0" };

async function connectV2(prepare: (server: McpServer) => void): Promise<Connected> {
  const server = new McpServer(info);
  prepare(server);
  const client = new Client({ name: "test", version: "1.0.0" });
  let changes = 0;
  client.setNotificationHandler("notifications/resources/list_changed", () => {
    changes++;
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return {
    list: async () => (await client.listResources()).resources,
    read: async (uri) => (await client.readResource({ uri })).contents[0] as { text?: string },
    changes: () => changes,
    close: () => client.close(),
  };
}

async function connectV1(prepare: (server: McpServerV1) => void): Promise<Connected> {
  const server = new McpServerV1(info);
  prepare(server);
  const client = new ClientV1({ name: "test", version: "1.0.0" });
  let changes = 0;
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    changes++;
  });
  const [ours, theirs] = TransportV1.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return {
    list: async () => (await client.listResources()).resources,
    read: async (uri) => (await client.readResource({ uri })).contents[0] as { text?: string },
    changes: () => changes,
    close: () => client.close(),
  };
}

const KINDS = [
  ["v2", (folder: ViewFolder) => connectV2((server) => folder.register(server))],
  ["v1", (folder: ViewFolder) => connectV1((server) => folder.register(server))],
] as const;

describe.each(KINDS)("a folder of Views on a server of SDK %s", (_, connect) => {
  test("is listed and read, with what each View declares", async () => {
    await using files = await viewRoot({
      "ui/a/index.html": page("a"),
      "ui/a/ui.meta.json": { meta: { prefersBorder: false, preferredFrameSize: [1, 2] } },
      "ui/broken/ui.meta.json": "{",
    });
    const folder = openViewFolder(files.root, { server: "Weather Server" });
    const client = await connect(folder);
    const meta = {
      "mcpui.dev/ui-preferred-frame-size": ["1px", "2px"],
      ui: { prefersBorder: false },
    };
    expect(await client.list()).toMatchObject([
      { uri: "ui://weather-server/a", mimeType: "text/html;profile=mcp-app", _meta: meta },
    ]);
    expect(await client.read("ui://weather-server/a")).toMatchObject({
      text: page("a"),
      _meta: meta,
    });
    expect(folder.problems).toMatchObject([{ code: "not-json" }]);
    expect(folder.uri("broken")).toBeUndefined();
    await client.close();
  });

  test("serves changed Views, and notifies clients that the list changed", async () => {
    await using files = await viewRoot({ "ui/a/index.html": page("1") });
    const folder = openViewFolder(files.root, { server: "s", watch: true });
    const received: (readonly string[])[] = [];
    folder.onChange(({ changed }) => received.push(changed));
    const client = await connect(folder);
    await files.write({
      "ui/a/index.html": page("2"),
      "ui/a/ui.meta.json": { meta: { prefersBorder: false } },
    });
    await vi.waitFor(() => expect(client.changes()).toBeGreaterThan(0), 5_000);
    expect(await client.read("ui://s/a")).toMatchObject({
      text: page("2"),
      _meta: { ui: { prefersBorder: false } },
    });
    expect(await client.list()).toMatchObject([{ _meta: { ui: { prefersBorder: false } } }]);
    await files.write({ "ui/b/index.html": page("b") });
    await vi.waitFor(async () => expect(await client.list()).toHaveLength(2), 5_000);
    expect(await client.read("ui://s/b")).toMatchObject({ text: page("b") });
    await rm(join(files.root, "ui/a"), { recursive: true });
    await vi.waitFor(async () => expect(await client.list()).toHaveLength(1), 5_000);
    expect(received.flat()).toEqual(expect.arrayContaining(["a", "b"]));
    await client.close();
    folder.close();
  });
});

test("links a tool to its View under both keys, and keeps the metadata of tool.meta.json", async () => {
  await using files = await viewRoot({
    "tools/weather/ui/index.html": page("w"),
    "tools/other/ui/index.html": page("o"),
    "tools/other/tool.meta.json": { _meta: { ui: { visibility: ["app"] } } },
  });
  const folder = openViewFolder(files.root, { server: "s" });
  expect(folder.toolMeta("weather")).toEqual({
    ui: { resourceUri: "ui://s/weather", visibility: ["model", "app"] },
    "ui/resourceUri": "ui://s/weather",
  });
  expect(folder.toolMeta("other")?.ui).toEqual({
    resourceUri: "ui://s/other",
    visibility: ["app"],
  });
  expect(folder.toolMeta("nothing")).toBeUndefined();
  // The official way to register, with its check that the View is there.
  const client = await connectV2((server) => {
    folder.register(server);
    const _meta = folder.toolMeta("weather") ?? { ui: {} };
    registerAppTool(server, "weather", { _meta }, async () => ({ text: "sunny" }));
  });
  await client.close();
});

test("forgets a server that has closed: behind HTTP there is one for each request", async () => {
  await using files = await viewRoot({ "ui/a/index.html": page("1") });
  const folder = openViewFolder(files.root, { server: "s", watch: true });
  const told = vi.fn();
  const client = await connectV2((server) => {
    folder.register(server);
    server.sendResourceListChanged = told;
  });
  await client.close();
  const changed = new Promise((resolve) => folder.onChange(resolve));
  await files.write({ "ui/a/index.html": page("2") });
  await changed;
  expect(told).not.toHaveBeenCalled();
  folder.close();
});

test("names that no URI can have are problems of that View alone", async () => {
  await using files = await viewRoot({
    "tools/a/ui/index.html": page("a"),
    "tools/a/tool.meta.json": { name: ".." },
    "tools/b/ui/index.html": page("b"),
    "tools/b/tool.meta.json": { name: "grüße/../x y" },
  });
  const folder = openViewFolder(files.root, { server: "!" });
  expect(folder.uri("..")).toBeUndefined();
  expect(folder.problems).toMatchObject([{ code: "wrong-value", file: "tools/a/tool.meta.json" }]);
  expect(folder.uri("grüße/../x y")).toBe("ui://server/gr%C3%BC%C3%9Fe%2F..%2Fx%20y");
  const client = await connectV2((server) => folder.register(server));
  expect((await client.list()).map(({ uri }) => uri)).toEqual([
    "ui://server/gr%C3%BC%C3%9Fe%2F..%2Fx%20y",
  ]);
  await client.close();
});
