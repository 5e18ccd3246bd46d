import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { serveStation1 } from "@vitrine/internal/station-servers";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { describe, expect, test } from "vitest";
import { serveRaw, tool } from "../raw-server.ts";
import { type Json, META, openStage, TOKEN, upstreamTo } from "../stage.ts";

const VIEW = "ui://raw/view.html";

async function openRaw(tools: Json[] = [tool("t")]) {
  const raw = await serveRaw(tools);
  const settings = { consent: "host" } as const;
  const stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url), settings } } });
  return {
    raw,
    stage,
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    },
  };
}

describe("messages that pass through", () => {
  test("keep every value in both directions (GW-03)", async () => {
    await using scene = await openRaw();
    const body = `{ "jsonrpc":"2.0", "id" : 1e0,"method":"tools/call","params":{"name":"t","arguments":{"one":1.0},"_meta":${JSON.stringify({ ...META, "com.example/x": [1, { y: null }] })},"unknown":"\\u00e9"},"extra":true}`;
    const answer = `{"id":1,"result":{"resultType":"com.example/odd","content":[{"type":"new-kind","n":1.50,"big":12345678901234567890}],"_meta":{"a/b":{}}},"jsonrpc":"2.0","x":0}`;
    scene.raw.answers["tools/call"] = () => answer;
    const { text } = await scene.stage.post("tools/call", { name: "t" }, { body });
    // Written from the parsed value: spaces and escapes differ, values and unknown members don't.
    expect(scene.raw.requests.at(-1)?.text).toBe(JSON.stringify(JSON.parse(body)));
    expect(text).toBe(answer.replace("1.50", "1.5"));
  });

  test.each([
    ['{"name":"t","arguments":{"a":[0,12345678901234567890]}}', "params.arguments.a[1]"],
    ['{"name":"t","arguments":{"a":9007199254740993}}', "params.arguments.a"],
    ['{"name":"t","arguments":{"a":-1e400}}', "params.arguments.a"],
  ])("a number that a double can't hold is rejected by name: %s", async (params, path) => {
    await using scene = await openRaw();
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const answer = await scene.stage.post("tools/call", { name: "t" }, { body });
    expect(answer.body.error.data.reason).toBe("malformed");
    expect(answer.body.error.message).toContain(`${path}: the number`);
    expect(scene.raw.requests.some(({ text }) => text.includes("tools/call"))).toBe(false);
  });

  test("large numbers that a double holds pass", async () => {
    await using scene = await openRaw();
    const args =
      '{"a":9007199254740992,"b":1e300,"c":-10000000000000000000,"d":0.1234567890123456789}';
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args},"_meta":${JSON.stringify(META)}}}`;
    await scene.stage.post("tools/call", { name: "t" }, { body });
    expect(scene.raw.requests.at(-1)?.body.params.arguments).toEqual(JSON.parse(args));
  });

  test("half of a surrogate pair is rejected, in a key as in a value", async () => {
    await using scene = await openRaw();
    for (const args of ['{"a":"x\\ud800"}', '{"\\udc00":1}']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`;
      const answer = await scene.stage.post("tools/call", { name: "t" }, { body });
      expect(answer.body.error.message).toContain("half of a surrogate pair");
    }
  });

  test("may have unknown methods if they come from a model", async () => {
    await using scene = await openRaw();
    scene.raw.answers["com.example/do"] = (params: Json) => ({ did: params.what });
    const { body } = await scene.stage.post("com.example/do", { what: 1 });
    expect(body.result).toEqual({ resultType: "complete", did: 1 });
  });

  test("addresses of Views keep their scheme and name (GW-01, GW-02)", async () => {
    const uri = "ui://raw/view.html?v=1";
    const _meta = { ui: { resourceUri: uri }, "ui/resourceUri": uri };
    await using scene = await openRaw([tool("t", { _meta })]);
    const { body } = await scene.stage.post("tools/list");
    expect(body.result.tools[0]._meta).toEqual(_meta);
    const read = await scene.stage.post("resources/read", { uri });
    expect(read.body.result.contents[0].uri).toBe(uri);
  });

  test("ignores a View's claims about itself (GW-07)", async () => {
    await using scene = await openRaw();
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    const key = "io.modelcontextprotocol/clientCapabilities";
    const _meta = {
      [key]: { sampling: {} },
      "io.modelcontextprotocol/clientInfo": { name: "model" },
      "my/own": 1,
    };
    await socket.request("tools/call", { name: "t", _meta });
    const sent = scene.raw.requests.at(-1)?.body.params._meta;
    expect(sent[key]).not.toHaveProperty("sampling");
    expect(sent["io.modelcontextprotocol/clientInfo"].name).toBe("vitrine-gateway");
    expect(sent["my/own"]).toBe(1);
  });
});

describe("restrictions of a View", () => {
  test.each([
    "prompts/get",
    "completion/complete",
    "sampling/createMessage",
    "subscriptions/listen",
    "server/discover",
    "initialize",
    "tasks/get",
    "ui/message",
    "com.example/do",
  ])("%s is not among it (GW-08)", async (method) => {
    await using scene = await openRaw();
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    expect((await socket.request(method)).error).toMatchObject({
      code: -32601,
      data: { reason: "unknown-method" },
    });
    const ids = scene.raw.requests.map(({ body }) => body.id);
    expect(ids).not.toContain("r1");
  });

  test("it may only read its server's Views and listed resources", async () => {
    await using scene = await openRaw();
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    expect((await socket.request("resources/read", { uri: "note://a" })).result).toBeDefined();
    for (const uri of ["file:///etc/passwd", "http://169.254.169.254/", "note://b", "NOTE://a"]) {
      const { error } = await socket.request("resources/read", { uri });
      expect(error.data.reason).toBe("foreign-resource");
    }
  });

  test("arguments that violate the tool's schema don't reach the server (G132)", async () => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1 }, s: { type: "string", pattern: "^(a+)+$" } },
      required: ["n"],
      additionalProperties: false,
    };
    await using scene = await openRaw([tool("t", { inputSchema })]);
    const before = scene.raw.requests.length;
    for (const given of [{}, { n: 0 }, { n: "1" }, { n: 1, x: 1 }, { n: 1, s: "b" }]) {
      const { body } = await scene.stage.post("tools/call", { name: "t", arguments: given });
      expect(body.error.data.reason).toBe("arguments");
    }
    const names = scene.raw.requests.slice(before).map(({ body }) => body.method);
    expect(names).not.toContain("tools/call");
    const good = await scene.stage.post("tools/call", { name: "t", arguments: { n: 1, s: "aa" } });
    expect(good.body.result).toBeDefined();
  });

  test("a catastrophic pattern is answered immediately (G145)", async () => {
    const inputSchema = { type: "object", properties: { s: { pattern: "^(a|a)*(a+)+$" } } };
    await using scene = await openRaw([tool("t", { inputSchema })]);
    await scene.stage.post("tools/list");
    const started = performance.now();
    const given = { s: `${"a".repeat(50_000)}!` };
    const { body } = await scene.stage.post("tools/call", { name: "t", arguments: given });
    expect(body.error.data.reason).toBe("arguments");
    // Without a bound it takes longer than anybody can wait.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("leaves huge schemas and those with external references to the server", async () => {
    const schemas = [
      { type: "object", $ref: "https://evil.example/schema.json" },
      { type: "object", description: "x".repeat(100_000) },
      { type: "nonsense", properties: 7 },
      "no schema",
    ];
    await using scene = await openRaw(
      schemas.map((inputSchema, at) => tool(`t${at}`, { inputSchema })),
    );
    for (const at of schemas.keys()) {
      const { body } = await scene.stage.post("tools/call", { name: `t${at}` });
      expect(body.result).toBeDefined();
    }
  });
});

describe("invalid messages", () => {
  test("rejects text that isn't a request, with a message", async () => {
    await using scene = await openRaw();
    for (const body of [
      "",
      "x",
      "[]",
      "1",
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    ]) {
      const { status, body: answer } = await scene.stage.post("ping", {}, { body });
      expect(status).toBe(400);
      expect(answer.error.code).toBe(-32600);
    }
  });

  test.each([0.9, 1.1, 9])("of %d MB on both carriers: over one is refused", async (megabytes) => {
    await using scene = await openRaw();
    const given = { s: "x".repeat(megabytes * 1e6) };
    const { body, status } = await scene.stage.post("tools/call", { name: "t", arguments: given });
    if (megabytes < 1) expect(body.result.structuredContent.s).toHaveLength(900_000);
    else expect(status).toBe(413);
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    socket.send({
      jsonrpc: "2.0",
      id: "big",
      method: "tools/call",
      params: { name: "t", arguments: given },
    });
    if (megabytes < 1) expect((await socket.until(({ id }) => id === "big")).result).toBeDefined();
    else await expect.poll(() => socket.closed).toBe(1009);
  });

  test("rejects endless nesting before the policy runs", async () => {
    await using scene = await openRaw();
    const reasonFor = async (depth: number): Promise<string> => {
      const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`;
      return (await scene.stage.post("ping", {}, { body })).body.error.data.reason;
    };
    expect(await reasonFor(200)).toBe("too-large");
    expect(await reasonFor(500)).toBe("malformed");
  });
});

describe("official clients", () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const use = async (client: Json): Promise<void> => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: Json) => name)).toContain("forecast");
    const called = await client.callTool({ name: "forecast", arguments: { city: "Graz" } });
    expect(called.structuredContent).toEqual({ city: "Graz", celsius: 12 });
    const { contents } = await client.readResource({ uri: STATION_VIEW });
    expect(contents[0].text).toContain("<!doctype html>");
    await client.close();
  };

  test("v2, in the protocol of 2026-07-28", async () => {
    await using stage = await openStage();
    const client = new Client2(
      { name: "c", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(
      new Http2(new URL(`${stage.url}/servers/station/mcp`), { requestInit: { headers } }),
    );
    expect(client.getProtocolEra()).toBe("modern");
    await use(client);
  });

  test("v2 sees a server of the older protocol as modern", async () => {
    await using served = await serveStation1();
    await using stage = await openStage({
      servers: { station: { upstream: upstreamTo(served.url) } },
    });
    const client = new Client2(
      { name: "c", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(
      new Http2(new URL(`${stage.url}/servers/station/mcp`), { requestInit: { headers } }),
    );
    expect(client.getProtocolEra()).toBe("modern");
    await use(client);
  });

  test("v1, with its handshake but without a session", async () => {
    await using stage = await openStage();
    const client = new Client1({ name: "c", version: "1" });
    await client.connect(
      new Http1(new URL(`${stage.url}/servers/station/mcp`), { requestInit: { headers } }),
    );
    await use(client);
  });
});
