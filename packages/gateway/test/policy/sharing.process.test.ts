import { describe, expect, test } from "vitest";
import type { Authenticate } from "../../src/identity/user-token.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { type Json, openStage, type StageOptions, upstreamTo } from "../stage.ts";

const VIEW = "ui://raw/view.html";

/** A token is its user's name here. */
const byName: Authenticate = async (token) => ({ tenant: "t", user: token });

async function open(tools: Json[], options: StageOptions = {}) {
  const raw = await serveRaw(tools);
  const settings = { consent: "host", ...options.settings } as const;
  const stage = await openStage({
    authenticate: byName,
    servers: { raw: { upstream: upstreamTo(raw.url), settings } },
    ...options,
  });
  return {
    raw,
    stage,
    count: (method: string) => raw.requests.filter(({ body }) => body.method === method).length,
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    },
  };
}

describe("the gateway's cache", () => {
  test("shares a public page with everyone, and a private one with nobody (GW-10)", async () => {
    await using scene = await open([]);
    const read = (token: string) => scene.stage.post("resources/read", { uri: VIEW }, { token });
    await read("ann");
    await read("ann");
    expect(scene.count("resources/read")).toBe(1);
    await read("bob");
    expect(scene.count("resources/read")).toBe(2);
    scene.raw.answers["resources/read"] = ({ uri }: Json) => ({
      contents: [{ uri, text: "<!doctype html>public" }],
      ttlMs: 60_000,
      cacheScope: "public",
    });
    const uri = "ui://raw/other.html";
    for (const token of ["ann", "bob", "eve"])
      await scene.stage.post("resources/read", { uri }, { token });
    expect(scene.count("resources/read")).toBe(3);
  });

  test("reads a private list for each user and applies it to that user only (GW-10)", async () => {
    await using scene = await open([]);
    const own = (headers: Json): Json[] => [tool(`of-${headers}`)];
    let turn = 0;
    scene.raw.answers["tools/list"] = () => ({
      tools: own(["ann", "bob"][turn] as string),
      ttlMs: 60_000,
      cacheScope: "private",
    });
    const call = (token: string, name: string) =>
      scene.stage.post("tools/call", { name }, { token });
    expect((await call("ann", "of-ann")).body.result).toBeDefined();
    turn = 1;
    expect((await call("bob", "of-bob")).body.result).toBeDefined();
    expect((await call("bob", "of-ann")).body.error.data.reason).toBe("unknown-tool");
    expect((await call("ann", "of-bob")).body.error.data.reason).toBe("unknown-tool");
  });

  // It was left out of fresh lists, and could not be called, until the time of the kept list was over.
  test("shows a newly listed tool immediately and allows calls", async () => {
    await using scene = await open([]);
    const tools = [tool("first")];
    scene.raw.answers["tools/list"] = () => ({ tools, ttlMs: 60_000, cacheScope: "public" });
    expect((await scene.stage.post("tools/call", { name: "first" })).body.result).toBeDefined();
    tools.push(tool("second"));
    const { body } = await scene.stage.post("tools/list");
    expect(body.result.tools.map(({ name }: Json) => name)).toEqual(["first", "second"]);
    expect((await scene.stage.post("tools/call", { name: "second" })).body.result).toBeDefined();
    const before = scene.count("tools/list");
    await scene.stage.post("tools/list");
    expect(scene.count("tools/list")).toBe(before + 1);
  });

  test("keeps two servers that report the same name apart", async () => {
    await using one = await serveRaw();
    await using two = await serveRaw();
    for (const [raw, text] of [
      [one, "one"],
      [two, "two"],
    ] as const) {
      raw.answers["resources/read"] = ({ uri }: Json) => ({
        contents: [{ uri, text }],
        ttlMs: 60_000,
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "same", version: "1" } },
      });
    }
    await using stage = await openStage({
      servers: { one: { upstream: upstreamTo(one.url) }, two: { upstream: upstreamTo(two.url) } },
    });
    for (const server of ["one", "two", "one"]) {
      const { body } = await stage.post("resources/read", { uri: VIEW }, { server });
      expect(body.result.contents[0].text).toBe(server);
    }
  });

  test("never caches a response that needs user input", async () => {
    await using scene = await open([]);
    scene.raw.answers["resources/read"] = () => ({ resultType: "input_required", ttlMs: 60_000 });
    await scene.stage.post("resources/read", { uri: VIEW });
    await scene.stage.post("resources/read", { uri: VIEW });
    expect(scene.count("resources/read")).toBe(2);
  });
});

describe("a server whose Views the operator disabled", () => {
  test("keeps its tools, without references to its Views (GW-09)", async () => {
    const ui = { resourceUri: VIEW, visibility: ["model"] };
    const tools = [tool("t", { _meta: { ui, "ui/resourceUri": VIEW, "my/own": 1 } })];
    await using scene = await open(tools, {});
    scene.stage.gateway.setServer("raw", {
      upstream: upstreamTo(scene.raw.url),
      settings: { views: "deny" },
    });
    const { body } = await scene.stage.post("tools/list");
    expect(body.result.tools[0]._meta).toEqual({ ui: { visibility: ["model"] }, "my/own": 1 });
    expect((await scene.stage.post("resources/read", { uri: VIEW })).body.error.data.reason).toBe(
      "foreign-resource",
    );
    expect((await scene.stage.open(VIEW)).ticket).toBeUndefined();
  });
});

describe("extensions", () => {
  test("of the server are announced in both eras, and a client's reach the server (GW-04)", async () => {
    await using scene = await open([]);
    const extensions = { "io.modelcontextprotocol/ui": {}, "com.example/own": { level: 2 } };
    scene.raw.answers["server/discover"] = () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions },
    });
    const modern = await scene.stage.post("server/discover");
    expect(modern.body.result.capabilities.extensions).toEqual(extensions);
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const older = await scene.stage.post("initialize", hello, {
      headers: { "mcp-protocol-version": "2025-11-25" },
    });
    expect(older.body.result.capabilities.extensions).toEqual(extensions);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "com.example/own": {} } },
    };
    await scene.stage.post("prompts/list", { _meta });
    expect(scene.raw.requests.at(-1)?.body.params._meta).toEqual(_meta);
  });
});

describe("limits", () => {
  const rates = { viewPerMinute: 60, userPerMinute: 120, serverPerMinute: 1e6, userAtOnce: 4 };

  test("apply to all Views of a user together, and separately to another user (G139)", async () => {
    await using scene = await open([tool("t")], { limits: { rates } });
    let passed = 0;
    const began = performance.now();
    for (let view = 0; view < 4; view++) {
      const { ticket } = await scene.stage.open(VIEW, {}, "ann");
      if (!ticket) continue;
      const socket = await scene.stage.socket(ticket);
      for (let n = 0; n < 12; n++) if ((await socket.request("ping")).result) passed++;
    }
    // Twenty at once and two a second, for the user; the four readings of the View count as well.
    expect(passed).toBeLessThanOrEqual(20 + (2 * (performance.now() - began)) / 1000);
    expect((await scene.stage.post("server/discover", {}, { token: "ann" })).status).toBe(429);
    expect((await scene.stage.post("server/discover", {}, { token: "bob" })).status).toBe(200);
  });

  test("bound concurrent calls, and failed calls release their slot", async () => {
    await using scene = await open([tool("t")], {
      limits: { rates: { ...rates, userPerMinute: 1e6, viewPerMinute: 1e6 } },
    });
    scene.raw.answers["tools/call"] = () => new Promise((resolve) => setTimeout(resolve, 200, {}));
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => scene.stage.post("tools/call", { name: "t" })),
      );
      expect(answers.filter(({ body }) => body.result)).toHaveLength(4);
      expect(answers.filter(({ status }) => status === 503)).toHaveLength(4);
    }
  });
});
