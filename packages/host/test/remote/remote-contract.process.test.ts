import { createMCPClient } from "@ai-sdk/mcp";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { serveStation1, station2, stationServer2 } from "@vitrine/internal/station-servers";
import { type OpenUpstream, testUpstream } from "@vitrine/internal/upstream-contract";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { expect, test } from "vitest";
import {
  type AppsClient,
  createAppsHandler,
  createRemoteServers,
  upstreamOf,
} from "../../src/remote/remote.ts";
import type { McpClientLike } from "../../src/upstreams/official-client.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import { serveHandler } from "./served-handler.ts";

const info = { name: "host", version: "1.0.0" };

/** The station's tools have no view, so one of them gets its map. */
async function withView(client: AppsClient): Promise<Upstream> {
  const upstream = await upstreamOf(client, { server: "ours" });
  const request = async (method: string, params: object, options?: object) => {
    const result = await upstream.request(method as never, params as never, options);
    const { tools } = result as { tools?: { name: string; _meta?: object }[] };
    for (const tool of tools ?? []) {
      if (tool.name === "forecast") {
        tool._meta = { ...tool._meta, ui: { resourceUri: STATION_VIEW } };
      }
    }
    return result;
  };
  return {
    server: "ours",
    capabilities: upstream.capabilities,
    request: request as Upstream["request"],
    onListChanged: upstream.onListChanged,
  };
}

async function open(client: AppsClient & { close(): Promise<void> }): Promise<OpenUpstream> {
  const handler = createAppsHandler({
    clients: { ours: await withView(client) },
    authorize: () => ({ id: "ann" }),
  });
  const { url, close } = await serveHandler(handler.fetch);
  const remote = createRemoteServers({ url });
  const view = { server: "ours", tool: "forecast" };
  await remote.prepare(view);
  return {
    upstream: remote.upstream(view),
    dispose: async () => {
      remote.close();
      await close();
      await client.close();
    },
  };
}

testUpstream("the server half over client v2", async () => {
  const client = new Client(info);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([stationServer2(station2()).connect(there), client.connect(here)]);
  return open(client);
});

testUpstream("the server half over client v1", async () => {
  const served = await serveStation1();
  const client = new Client1(info);
  await client.connect(new Http1(served.url) as never);
  return open({
    ...forwarded(client),
    close: async () => {
      await client.close();
      await served[Symbol.asyncDispose]();
    },
  });
});

/** The same client, with another way to close it. */
function forwarded(client: Client1): McpClientLike {
  return {
    get transport() {
      return client.transport;
    },
    getServerCapabilities: () => client.getServerCapabilities(),
    request: client.request.bind(client) as never,
  };
}

test("a client of the AI SDK lists, reads and calls, and an abort ends the wait", async () => {
  const served = await serveStation1();
  const client = await createMCPClient({ transport: { type: "http", url: served.url.href } });
  const { upstream, dispose } = await open(client as never);
  try {
    const ask = upstream.request as (
      method: string,
      params: object,
      options?: object,
    ) => Promise<never>;
    const { structuredContent } = (await ask("tools/call", {
      name: "forecast",
      arguments: { city: "Oslo" },
    })) as { structuredContent: object };
    expect(structuredContent).toMatchObject({ city: "Oslo" });
    const { contents } = (await ask("resources/read", { uri: STATION_VIEW })) as {
      contents: object[];
    };
    expect(contents).toMatchObject([{ uri: STATION_VIEW }]);
    await expect(ask("resources/read", { uri: "ui://none" })).rejects.toMatchObject({
      name: "RpcError",
      message: "No ui://none",
    });
    const controller = new AbortController();
    const pending = ask(
      "tools/call",
      { name: "slow", arguments: { id: "long" } },
      { signal: controller.signal },
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    controller.abort(new Error("stopped"));
    await expect(pending).rejects.toThrow("stopped");
  } finally {
    await dispose?.();
    await served[Symbol.asyncDispose]();
  }
});
