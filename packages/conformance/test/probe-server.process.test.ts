import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offer, tool, VIEW } from "../src/host/host-setup.ts";
import { ProbeServer } from "../src/targets/probe-server.ts";
import { probeCommand } from "../src/targets/probe-stdio.ts";

describe("the suite's own server", () => {
  let server: ProbeServer;
  beforeAll(async () => {
    const result = ({ progress }: { progress(done: number): void }): object => {
      progress(1);
      return { content: [{ type: "text", text: "done" }] };
    };
    server = await ProbeServer.open(offer({ tools: [{ tool: tool("works"), result }] }));
  });
  afterAll(() => server.close());

  it.each([
    ["2025-11-25", "legacy"],
    ["2026-07-28", { pin: "2026-07-28" }],
  ] as const)("supports MCP %s with the official client", async (_, mode) => {
    const client = new Client({ name: "x", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["show", "works"]);
    expect((await client.readResource({ uri: VIEW })).contents[0]?.uri).toBe(VIEW);
    const progress: number[] = [];
    const { content } = await client.callTool(
      { name: "works", arguments: {} },
      { onprogress: ({ progress: done }) => progress.push(done) },
    );
    expect(content).toEqual([{ type: "text", text: "done" }]);
    expect(progress).toEqual([1]);
    await client.close();
  });

  it("is also a command, for hosts that start their servers", async () => {
    const [command = "", ...args] = probeCommand(server.url);
    const client = new Client(
      { name: "x", version: "1" },
      { versionNegotiation: { mode: "legacy" } },
    );
    await client.connect(new StdioClientTransport({ command, args }));
    expect((await client.listTools()).tools).toHaveLength(2);
    await client.close();
  });
});
