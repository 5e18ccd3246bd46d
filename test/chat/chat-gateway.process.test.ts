import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ChatServers, startChatServers } from "@vitrine/example-chat-servers";
import { tailAudit } from "@vitrine/gateway";
import { openSqliteReader } from "@vitrine/gateway/engine";
import { openGatewayUpstream } from "@vitrine/host/gateway";
import { toolResourceUri } from "@vitrine/protocol/apps";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatGateway, startChatGateway } from "../../examples/chat/src/gateway.ts";

let servers: ChatServers;
let gateway: ChatGateway;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-chat-gateway-"));
  servers = await startChatServers();
  gateway = await startChatGateway({
    servers: servers.mcpJson.mcpServers,
    users: ["ann", "ben"],
    folder,
  });
});
afterAll(async () => {
  await gateway?.close();
  await servers?.close();
  await rm(folder, { recursive: true, force: true });
});

async function connect(server: string, user: "ann" | "ben"): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers = { authorization: `Bearer ${gateway.tokens[user]}` };
  const url = new URL(`${gateway.url}/servers/${server}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

it.each(["trips", "everything", "weather", "clock"])("serves the tools of %s", async (server) => {
  const client = await connect(server, "ann");
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(0);
  // Tools that are only for views aren't for the model.
  expect(tools.map(({ name }) => name)).not.toContain("refresh_prices");
  await client.close();
});

/** The audit log as its readers see it: records reach the folder a moment later. */
async function deniedCalls(): Promise<string[]> {
  const denied: string[] = [];
  const reader = openSqliteReader({ folder });
  for await (const { tool, actor, decision } of tailAudit({ log: reader.log, last: 1_000 })) {
    if (decision?.verdict === "deny") denied.push(`${actor?.user} ${tool} ${decision.code}`);
  }
  reader.close();
  return denied;
}

it("records a view's call without consent as denied, for its user", async () => {
  const client = await connect("trips", "ben");
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === "plan_trip");
  const { uri: resource = "" } = toolResourceUri(tool as never);
  const upstream = await openGatewayUpstream({
    ...{ gateway: gateway.url, server: "trips", resource },
    token: () => gateway.tokens.ben ?? "",
  });
  const params = { name: "book_trip", arguments: { destination: "Graz", days: 2 } };
  expect(await upstream.request("tools/call", params)).toMatchObject({
    content: [{ text: "Booked 2 days in Graz." }],
  });
  expect(upstream.carrier).toBe("websocket");
  await expect(
    upstream.request("tools/call", { name: "cancel_all_trips", arguments: {} }),
  ).rejects.toThrow();
  upstream.close();
  await client.close();
  await expect
    .poll(deniedCalls)
    .toEqual(["ben book_trip consent-required", "ben cancel_all_trips unknown-tool"]);
  expect(servers.events()).not.toContain("cancelled all trips");
});
