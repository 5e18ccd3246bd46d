import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  type ServedStation,
  serveStation1,
  serveStation2,
} from "@vitrine/internal/station-servers";
import { EXTENSION_ID } from "@vitrine/protocol/apps";
import { getUiCapability } from "ext-apps-v2/server";
import { expect, test } from "vitest";
import { appsExtension } from "../src/upstreams/extension.ts";

const info = { name: "host", version: "1.0.0" };
const announced = { mimeTypes: ["text/html;profile=mcp-app"] };

type Connect = (served: ServedStation) => Promise<{ close(): Promise<void> }>;

const v1: Connect = async ({ url }) => {
  const client = new Client1(info, { capabilities: appsExtension() });
  await client.connect(new Http1(url) as never);
  await client.callTool({ name: "fail" });
  return client;
};
const v2: Connect = async ({ url }) => {
  const capabilities = appsExtension({ elicitation: { form: {} } });
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(new Http2(url));
  await client.callTool({ name: "fail" });
  return client;
};

test.each([
  ["client v1, a session of 2025-11-25", serveStation1, v1],
  ["client v2, a session of 2025-11-25", serveStation1, v2],
  ["client v2, requests of 2026-07-28", serveStation2, v2],
])(
  "HST-01, HST-02: a server learns from the capabilities that this Host shows MCP Apps: %s",
  async (_, serve, connect) => {
    await using served = await serve();
    const client = await connect(served);
    expect(served.clients).toHaveLength(1);
    const [capabilities] = served.clients as [{ extensions: Record<string, {}> }];
    expect(capabilities.extensions[EXTENSION_ID]).toEqual(announced);
    // What a server made with the official helpers looks at.
    expect(getUiCapability(capabilities)).toEqual(announced);
    await client.close();
  },
);

test("other capabilities and extensions are kept, and nothing that was given is changed", () => {
  const given = { sampling: {}, extensions: { "com.example/own": { x: 1 } } };
  expect(appsExtension(given)).toEqual({
    sampling: {},
    extensions: { "com.example/own": { x: 1 }, [EXTENSION_ID]: announced },
  });
  expect(given.extensions).not.toHaveProperty(EXTENSION_ID);
});
