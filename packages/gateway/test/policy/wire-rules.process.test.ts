// The rules of 2026-07-28 for requests and statuses on the wire. The official conformance tool checks the
// same (npm run conformance:mcp).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, META, openStage, TOKEN, upstreamTo } from "../stage.ts";

const REGION = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
};
let raw: RawServer;
let stage: GatewayStage;
beforeAll(async () => {
  raw = await serveRaw([tool("near", { inputSchema: REGION })]);
  stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url) } } });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await raw[Symbol.asyncDispose]();
});

describe("an envelope", () => {
  test.each(Object.keys(META))("without %s is refused as wrong params", async (key) => {
    const _meta = { ...META, [key]: undefined };
    const { status, body } = await stage.post("tools/list", { _meta });
    expect([status, body.error.code, body.error.data.reason]).toEqual([400, -32602, "envelope"]);
  });

  test("is rejected if no header repeats its version", async () => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: { _meta: META },
    });
    const answer = await fetch(`${stage.url}/servers/raw/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body,
    });
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32020]);
  });

  test("of an unknown version gets a list of the supported ones", async () => {
    const version = "2099-01-01";
    const _meta = { ...META, "io.modelcontextprotocol/protocolVersion": version };
    const headers = { "mcp-protocol-version": version };
    const { status, body } = await stage.post("tools/list", { _meta }, { headers });
    expect([status, body.error.code]).toEqual([400, -32022]);
    expect(body.error.data).toMatchObject({ supported: ["2026-07-28"], requested: version });
  });
});

describe("methods", () => {
  test.each(["initialize", "ping", "logging/setLevel"])("%s is of before", async (method) => {
    const { status, body } = await stage.post(method);
    expect([status, body.error.code]).toEqual([404, -32601]);
    const older = await stage.post(
      method,
      {},
      { headers: { "mcp-protocol-version": "2025-11-25" } },
    );
    expect([older.status, typeof older.body.result]).toEqual([200, "object"]);
  });

  test("that the server doesn't support get a matching status, for clients that understand it", async () => {
    const answer = await stage.post("unknown/method");
    expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
    const headers = { "mcp-protocol-version": "2025-11-25" };
    expect((await stage.post("unknown/method", {}, { headers })).status).toBe(200);
  });

  test("of subscriptions aren't announced to clients that can't receive them", async () => {
    raw.answers["server/discover"] = () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { resources: { subscribe: true, listChanged: true } },
    });
    const headers = { "mcp-protocol-version": "2025-11-25" };
    const { body } = await stage.post("initialize", {}, { headers });
    expect(body.result.capabilities.resources).toEqual({ listChanged: true });
  });
});

describe("an argument that a tool wants as a header", () => {
  const call = (headers: Record<string, string>, region = "Zürich") =>
    stage.post("tools/call", { name: "near", arguments: { region } }, { headers });

  test("passes if header and argument match, base64-wrapped or not", async () => {
    const wrapped = `=?base64?${Buffer.from("Zürich").toString("base64")}?=`;
    expect((await call({ "mcp-param-region": wrapped })).status).toBe(200);
    expect((await call({ "mcp-param-region": "Graz" }, "Graz")).status).toBe(200);
    expect(raw.requests.at(-1)?.headers["mcp-param-region"]).toBe("Graz");
  });

  test("is rejected if the header is missing, different or invalid base64", async () => {
    const wrong = [{}, { "mcp-param-region": "Graz" }, { "mcp-param-region": "=?base64?Z*?=" }];
    const before = raw.requests.length;
    for (const headers of wrong) {
      const { status, body } = await call(headers);
      expect([status, body.error.code]).toEqual([400, -32020]);
    }
    expect(raw.requests).toHaveLength(before);
  });

  test("isn't required from an older client, and reaches the server in both forms", async () => {
    const headers = { "mcp-protocol-version": "2025-11-25" };
    expect((await call(headers, "Graz")).status).toBe(200);
    expect(raw.requests.at(-1)?.headers["mcp-param-region"]).toBe("Graz");
  });
});
