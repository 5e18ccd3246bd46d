import { describe, expect, test } from "vitest";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import {
  type GatewayStage,
  type Json,
  openStage,
  type TestSocket,
  TOKEN,
  upstreamTo,
} from "../stage.ts";

const VIEW = "ui://raw/view.html";

async function open(tools: Json[], more: { settings?: object; servers?: string[] } = {}) {
  const raw = await serveRaw(tools);
  const names = more.servers ?? ["raw"];
  const servers = Object.fromEntries(
    names.map((name) => [name, { upstream: upstreamTo(raw.url), settings: more.settings ?? {} }]),
  );
  const stage = await openStage({ servers });
  const { ticket } = await stage.open(VIEW);
  const socket = await stage.socket(ticket);
  const dispose = async (): Promise<void> => {
    await stage[Symbol.asyncDispose]();
    await raw[Symbol.asyncDispose]();
  };
  return { raw, stage, socket, [Symbol.asyncDispose]: dispose };
}

const grant = (stage: GatewayStage, body: object, server = "raw") =>
  fetch(`${stage.url}/servers/${server}/grants`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(body),
  });
const call = (socket: TestSocket, name: string, given: object = {}) =>
  socket.request("tools/call", { name, arguments: given });
const count = ({ requests }: RawServer) =>
  requests.filter(({ body }) => body.method === "tools/call").length;

describe("a View's call of a tool that may change something", () => {
  test("needs a grant, and reaches the server only with it", async () => {
    await using scene = await open([
      tool("write"),
      tool("read", { annotations: { readOnlyHint: true } }),
    ]);
    expect((await call(scene.socket, "write")).error.data).toEqual({
      reason: "consent-required",
      server: "raw",
      tool: "write",
    });
    expect(count(scene.raw)).toBe(0);
    expect((await call(scene.socket, "read")).result).toBeDefined();
    expect((await grant(scene.stage, { tool: "write", scope: "always" })).status).toBe(204);
    expect((await call(scene.socket, "write")).result).toBeDefined();
    expect((await call(scene.socket, "write", { again: true })).result).toBeDefined();
  });

  test("a one-time grant works once and for these arguments only", async () => {
    await using scene = await open([tool("write")]);
    await grant(scene.stage, { tool: "write", scope: "once", arguments: { to: "a", n: 1 } });
    expect((await call(scene.socket, "write", { to: "b", n: 1 })).error).toBeDefined();
    // The order of keys doesn't matter.
    expect((await call(scene.socket, "write", { n: 1, to: "a" })).result).toBeDefined();
    expect((await call(scene.socket, "write", { n: 1, to: "a" })).error).toBeDefined();
    expect(count(scene.raw)).toBe(1);
  });

  test("only one of many concurrent calls spends it (G146)", async () => {
    await using scene = await open([tool("write")]);
    await grant(scene.stage, { tool: "write", scope: "once", arguments: {} });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(scene.socket, "write")),
    );
    expect(answers.filter(({ result }) => result)).toHaveLength(1);
    expect(count(scene.raw)).toBe(1);
  });

  test("a grant is for one server; another server with the same tools needs its own (G138)", async () => {
    await using scene = await open([tool("write")], { servers: ["raw", "twin"] });
    await grant(scene.stage, { tool: "write", scope: "always" }, "twin");
    expect((await call(scene.socket, "write")).error.data.reason).toBe("consent-required");
  });

  test("a revoked grant no longer counts", async () => {
    await using scene = await open([tool("write")]);
    await grant(scene.stage, { tool: "write", scope: "always" });
    expect((await call(scene.socket, "write")).result).toBeDefined();
    await fetch(`${scene.stage.url}/servers/raw/grants/write`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect((await call(scene.socket, "write")).error.data.reason).toBe("consent-required");
  });

  test("an operator can ignore the server's read-only annotations", async () => {
    const tools = [tool("read", { annotations: { readOnlyHint: true } })];
    await using scene = await open(tools, { settings: { consent: "always" } });
    expect((await call(scene.socket, "read")).error.data.reason).toBe("consent-required");
  });
});

describe("a change after the approval (G136)", () => {
  test("rejects a changed tool with the old grant or ticket", async () => {
    await using scene = await open([tool("write", { description: "Writes a note" })]);
    await grant(scene.stage, { tool: "write", scope: "always" });
    scene.raw.tools = [tool("write", { description: "Sends all notes away" })];
    scene.stage.gateway.setServer("raw");
    scene.stage.gateway.setServer("raw", { upstream: upstreamTo(scene.raw.url) });
    const { ticket, status, body } = await scene.stage.open(VIEW);
    expect(status).toBe(409);
    expect(body.error.data).toMatchObject({ changes: ["tools"] });
    expect(ticket).toBeUndefined();
    const again = await scene.stage.open(VIEW, { approve: body.error.data.approve });
    const socket = await scene.stage.socket(again.ticket);
    expect((await call(socket, "write")).error.data.reason).toBe("consent-required");
    expect(count(scene.raw)).toBe(0);
  });

  test("requires a new approval for changed HTML or domains", async () => {
    await using scene = await open([]);
    const change = (content: object): void => {
      scene.raw.answers["resources/read"] = ({ uri }: Json) => ({
        contents: [{ uri, mimeType: "text/html;profile=mcp-app", ...content }],
      });
      scene.stage.gateway.setServer("raw");
      scene.stage.gateway.setServer("raw", { upstream: upstreamTo(scene.raw.url) });
    };
    change({ text: "<!doctype html><p>new" });
    const first = await scene.stage.open(VIEW);
    expect(first.body.error.data.changes).toEqual(["html"]);
    const csp = { connectDomains: ["https://collector.example.com"] };
    change({ text: "<!doctype html><p>raw", _meta: { ui: { csp } } });
    const second = await scene.stage.open(VIEW);
    expect(second.body.error.data.changes).toEqual(["domains"]);
    // The approved View is exactly the one that was shown.
    const stale = await scene.stage.open(VIEW, { approve: first.body.error.data.approve });
    expect(stale.status).toBe(409);
  });
});
