import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type ChatServers, startChatServers } from "@vitrine/example-chat-servers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

let servers: ChatServers;
beforeAll(async () => {
  servers = await startChatServers();
});
afterAll(() => servers?.close());

async function connect(
  name: keyof ChatServers["mcpJson"]["mcpServers"],
  mode: "auto" | "legacy" = "auto",
): Promise<Client> {
  const entry = servers.mcpJson.mcpServers[name];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: name === "clock" ? "legacy" : mode } },
  );
  await client.connect(
    "command" in entry
      ? new StdioClientTransport({ ...entry, stderr: "ignore" })
      : entry.type === "sse"
        ? new SSEClientTransport(new URL(entry.url))
        : new StreamableHTTPClientTransport(new URL(entry.url)),
  );
  return client;
}

it("lists the tools of all four servers", async () => {
  const names: Record<string, string[]> = {};
  for (const server of ["trips", "everything", "weather", "clock"] as const) {
    const client = await connect(server);
    names[server] = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
  }
  expect(names.trips?.sort()).toEqual([
    "book_trip",
    "cancel_all_trips",
    "last_events",
    "plan_trip",
    "refresh_prices",
    "wait_for_offer",
  ]);
  expect(names.everything).toContain("echo");
  expect(names.weather).toEqual(["get_weather"]);
  expect(names.clock).toEqual(["get_time"]);
});

it("serves the views of trips and weather", async () => {
  for (const [server, tool] of [
    ["trips", "wait_for_offer"],
    ["weather", "get_weather"],
  ] as const) {
    const client = await connect(server);
    const found = (await client.listTools()).tools.find(({ name }) => name === tool);
    const { resourceUri } = (found?._meta?.ui ?? {}) as { resourceUri: string };
    const [view] = (await client.readResource({ uri: resourceUri })).contents;
    expect(view).toMatchObject({ mimeType: "text/html;profile=mcp-app" });
    expect(view && "text" in view && view.text).toMatch(/^<!doctype html>/);
    await client.close();
  }
});

it.each(["auto", "legacy"] as const)("records that a call was cancelled (%s)", async (mode) => {
  const client = await connect("trips", mode);
  const stop = new AbortController();
  const destination = `Graz by ${mode}`;
  const progress: number[] = [];
  const call = client.callTool(
    { name: "wait_for_offer", arguments: { destination } },
    { signal: stop.signal, onprogress: (step) => progress.push(step.progress) },
  );
  await vi.waitFor(() => expect(progress.length).toBeGreaterThan(1));
  stop.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(async () => {
    const { content } = await client.callTool({ name: "last_events" });
    expect(content[0]).toMatchObject({
      text: expect.stringContaining(`cancelled waiting for ${destination}`),
    });
  });
  await client.close();
});
