import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayStage, openStage } from "./stage.ts";

let stage: GatewayStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("over HTTP", () => {
  test("a model lists and calls the tools of a server", async () => {
    const listed = await stage.post("tools/list");
    expect(listed.status).toBe(200);
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).toContain(
      "forecast",
    );
    const called = await stage.post("tools/call", {
      name: "forecast",
      arguments: { city: "Graz" },
    });
    expect(called.body.result.structuredContent).toEqual({ city: "Graz", celsius: 12 });
    expect(called.body.result.content[0]._meta).toEqual({ "station/line": 1 });
  });

  test("sends an event stream if there is progress before the response", async () => {
    const params = { name: "slow", arguments: { id: "short" } };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      progressToken: 7,
    };
    const { headers, text } = await stage.post("tools/call", { ...params, _meta });
    expect(headers.get("content-type")).toBe("text/event-stream");
    const events = text.split("\n\n").filter(Boolean);
    expect(events[0]).toContain('"progressToken":7');
    expect(events.at(-1)).toContain('"result"');
  });

  test("an unknown method, a foreign name and a body that contradicts its headers are refused", async () => {
    expect((await stage.post("ui/message")).body.error).toMatchObject({ code: -32601 });
    expect((await stage.post("tools/call", { name: "nothing" })).body.error.data.reason).toBe(
      "unknown-tool",
    );
    const mismatch = await stage.post(
      "tools/list",
      {},
      { headers: { "mcp-method": "tools/call" } },
    );
    expect(mismatch.status).toBe(400);
    expect(mismatch.body.error.code).toBe(-32020);
  });

  test("rejects requests without a token, with a foreign host name or from a foreign page (G125, G126)", async () => {
    expect((await stage.post("tools/list", {}, { token: null })).status).toBe(401);
    expect((await stage.post("tools/list", {}, { token: "wrong" })).status).toBe(401);
    const evil = { origin: "https://evil.example" };
    expect((await stage.post("tools/list", {}, { headers: evil })).status).toBe(403);
  });
});

describe("a View", () => {
  test("is opened once, and calls over a WebSocket with its ticket", async () => {
    const { ticket, body } = await stage.open(STATION_VIEW);
    expect(body).toMatchObject({ html: expect.stringContaining("<"), capabilities: { tools: {} } });
    const socket = await stage.socket(ticket);
    await socket.until((message) => message.vitrine === "welcome");
    const refused = await socket.request("tools/call", {
      name: "forecast",
      arguments: { city: "Graz" },
    });
    expect(refused.error.data).toMatchObject({ reason: "consent-required", tool: "forecast" });
    socket.socket.close();
  });
});
