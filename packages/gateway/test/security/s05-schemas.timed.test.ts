import { processorTime } from "@vitrine/internal/processor-time";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redact } from "../../src/audit/redaction.ts";
import { devAuthenticator } from "../../src/identity/user-token.ts";
import { createSchemaCheck, type SchemaSubject } from "../../src/policy/schema-check.ts";
import { BoundedList } from "../../src/policy/schemas/bounded-list.ts";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, type Json, openStage, TOKEN, upstreamTo } from "../stage.ts";
import { longestDelay } from "./loop-delay.ts";

/** Pairs of references to the next level: 2^depth checks for an empty object. */
function pairs(depth: number): Json {
  const $defs: Json = { [`d${depth}`]: { type: "object" } };
  for (let level = 0; level < depth; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  return { type: "object", $defs, allOf: [{ $ref: "#/$defs/d0" }] };
}

const UNIQUE = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
const OBJECTS = { list: Array.from({ length: 20_000 }, (_, index) => ({ index })) };
const REFERENCE = {
  type: "object",
  properties: { name: { $ref: "#/$defs/name" } },
  $defs: { name: { type: "string", pattern: "^[a-z]+$" } },
};
const MOST_DELAY = 100;

let server: RawServer;
let stage: GatewayStage;

beforeAll(async () => {
  server = await serveRaw([
    tool("pairs", { inputSchema: pairs(60) }),
    tool("unique", { inputSchema: UNIQUE }),
    tool("reference", { inputSchema: REFERENCE }),
    tool("plain"),
  ]);
  server.answers["tools/list"] = () => ({
    tools: server.tools,
    ttlMs: 60_000,
    cacheScope: "public",
  });
  const other = { user: "user", tenant: "other" };
  const asUser = devAuthenticator(TOKEN);
  stage = await openStage({
    servers: { raw: { upstream: upstreamTo(server.url) } },
    authenticate: async (token) => (token === "other" ? other : asUser(token)),
  });
  // The list is read and the thread is started.
  await stage.post("tools/call", { name: "reference", arguments: { name: "a" } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const call = (name: string, given: object = {}, token = TOKEN): Promise<Json> =>
  stage.post("tools/call", { name, arguments: given }, { token }).then(({ body }) => body);

describe("S5: third-party schemas", () => {
  it("S5: a schema of nested pairs neither blocks the gateway nor another tool", async () => {
    expect(JSON.stringify(pairs(60)).length).toBeLessThan(4_096);
    let refused: Json;
    const delay = await longestDelay(async () => {
      const bomb = call("pairs");
      const others = await Promise.all([
        call("plain"),
        call("reference", { name: "b" }, "other"),
        fetch(`${stage.url}/healthz`),
      ]);
      expect(others[0].result).toBeDefined();
      expect(others[1].result).toBeDefined();
      refused = await bomb;
    });
    expect(refused.error.data).toMatchObject({ reason: "schema-limit", tool: "pairs" });
    expect(refused.error.message).toContain('"pairs"');
    expect(delay).toBeLessThan(MOST_DELAY);
  }, 15_000);

  it("S5: a schema that took too long is not tried again, the server's other tools are", async () => {
    await call("pairs");
    expect((await call("pairs")).error.data.reason).toBe("schema-limit");
    expect((await call("pairs", {}, "other")).error.data.reason).toBe("schema-limit");
    expect((await call("reference", { name: "b" })).result).toBeDefined();
    const mistake = await call("reference", { name: "B" });
    expect(mistake.error.data.reason).toBe("arguments");
    expect(mistake.error.message).toContain("/name must match pattern");
  }, 15_000);

  it("S5: unique items are compared without blocking the gateway", async () => {
    let refused: Json;
    const delay = await longestDelay(async () => {
      const slow = call("unique", OBJECTS);
      expect((await call("plain")).result).toBeDefined();
      refused = await slow;
    });
    expect(refused.error.data.reason).toBe("schema-limit");
    // Parsing and writing 280 kB of arguments is part of it.
    expect(delay).toBeLessThan(MOST_DELAY);
    // The value was at fault, so others may still call the tool.
    expect((await call("unique", { list: [1] }, "other")).result).toBeDefined();
  }, 15_000);
});

const subject = (schema: object, value: unknown, more: Partial<SchemaSubject> = {}) => ({
  ...{ schema, value, server: "s", tool: "t", tenant: "acme", user: "alice" },
  ...more,
});

describe("S5: the check of arguments", () => {
  it("S5: counts its steps on the event loop, whatever the schema looks like", async () => {
    const check = createSchemaCheck();
    const strings = Array.from({ length: 1_000 }, () => ({ type: "string" }));
    const anyOf = [...strings, { type: "number" }];
    const schema = { type: "object", properties: { list: { type: "array", items: { anyOf } } } };
    const value = { list: Array.from({ length: 5_000 }, () => 1) };
    const delay = await longestDelay(async () => {
      await check.check(subject(schema, value));
    });
    expect(delay).toBeLessThan(MOST_DELAY);
    await check.close();
  }, 15_000);

  it("S5: rejects a server's schemas without trying after too many took too long", async () => {
    const check = createSchemaCheck();
    const bomb = pairs(60);
    for (let n = 0; n < 3; n++) {
      const found = await check.check(subject(bomb, {}, { tool: `bomb-${n}` }));
      expect(found).toMatchObject({ kind: "exceeded" });
    }
    let turns = 0;
    const counting = setInterval(() => turns++, 50);
    const next = await check.check(subject(bomb, {}, { tool: "another" }));
    clearInterval(counting);
    expect(next).toMatchObject({ kind: "exceeded" });
    // At once: a try would have taken its 250 ms.
    expect(turns).toBe(0);
    // Neither another tenant nor another server suffers.
    const ok = subject(REFERENCE, { name: "a" }, { tool: "fine" });
    expect(await check.check({ ...ok, tenant: "other" })).toBeUndefined();
    expect(await check.check({ ...ok, server: "another" })).toBeUndefined();
    await check.close();
  }, 20_000);

  it("S5: a tenant whose checks are slow doesn't hold up another tenant's", async () => {
    const check = createSchemaCheck();
    const fine = subject(REFERENCE, { name: "a" }, { tool: "fine" });
    await check.check(fine);
    const bombs = Array.from({ length: 20 }, (_, n) =>
      check.check(subject(pairs(60), {}, { tool: `bomb-${n}`, server: `server-${n}` })),
    );
    let ended = 0;
    for (const bomb of bombs) void Promise.resolve(bomb).then(() => ended++);
    expect(await check.check({ ...fine, tenant: "other" })).toBeUndefined();
    // It waited for a few of them at most, since each of them needs a new thread.
    expect(ended).toBeLessThan(10);
    await check.close();
    await Promise.all(bombs);
  }, 20_000);

  it("S5: forgets after the period and tries again", async () => {
    const check = createSchemaCheck({ period: 200 });
    const slow = subject(UNIQUE, OBJECTS);
    expect(await check.check(slow)).toMatchObject({ kind: "exceeded" });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await check.check({ ...slow, value: { list: [1, 2] } })).toBeUndefined();
    await check.close();
  }, 15_000);

  it("S5: a number kept as text is checked as a number", async () => {
    const check = createSchemaCheck();
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const schema = { type: "object", properties: { id: { type: "integer" } } };
    const value = { id: rawJSON("12345678901234567890") };
    expect(await check.check(subject(schema, value))).toBeUndefined();
    const text = { ...schema, properties: { id: { type: "string" } } };
    expect(await check.check(subject(text, value))).toMatchObject({
      message: "/id must be string",
    });
    await check.close();
  });
});

describe("S5: redaction", () => {
  it("S5: redacts by a schema of nested pairs at once", () => {
    const schema = { ...pairs(60), properties: { secret: { format: "password" } } };
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, "value"]));
    const started = processorTime();
    const redacted = redact({ ...value, secret: "hunter2" }, schema);
    expect(processorTime() - started).toBeLessThan(MOST_DELAY);
    expect(JSON.stringify(redacted.value)).not.toContain("hunter2");
  });

  it("S5: redacts by a schema with thousands of patterns in bounded time", () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`^x${n}`, { type: "string" }]),
    );
    const parts = Array.from({ length: 60 }, () => ({ patternProperties }));
    const schema = { allOf: parts, properties: { secret: { format: "password" } } };
    const value = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key${n}`, "value"]));
    const started = processorTime();
    const redacted = redact({ ...value, secret: "hunter2" }, schema);
    expect(processorTime() - started).toBeLessThan(500);
    expect(JSON.stringify(redacted.value)).not.toContain("hunter2");
  });
});

describe("S5: lists of a server", () => {
  it("S5: a list without end is read in part, and not again with each question", async () => {
    await using endless = await serveRaw();
    let pages = 0;
    endless.answers["tools/list"] = () => {
      const tools = Array.from({ length: 500 }, (_, n) => tool(`tool-${pages}-${n}`));
      return { tools, nextCursor: `${++pages}`, ttlMs: 60_000, cacheScope: "public" };
    };
    await using stage = await openStage({
      servers: { raw: { upstream: upstreamTo(endless.url) } },
    });
    const known = await stage.post("tools/call", { name: "tool-0-0" });
    expect(known.body.result).toBeDefined();
    expect(pages).toBe(5);
    const beyond = await stage.post("tools/call", { name: "tool-4-1" });
    expect(beyond.body.error.data.reason).toBe("unknown-tool");
    const listed = await stage.post("tools/list", { cursor: "9" });
    expect(listed.body.result.tools).toEqual([]);
    expect(pages).toBe(6);
  });

  it("S5: a definition that is huge or too deep is left out, the others are not", async () => {
    let deep: Json = {};
    for (let n = 0; n < 5_000; n++) deep = { properties: { a: deep } };
    const list = new BoundedList({ items: 10, characters: 1e6 });
    list.add([tool("deep", { inputSchema: deep }), tool("fine")]);
    expect(list.items.map(({ name }) => name)).toEqual(["fine"]);
    expect(list.isWhole).toBe(false);
    await using server = await serveRaw([
      tool("huge", { description: "x".repeat(300_000) }),
      tool("fine"),
    ]);
    await using stage = await openStage({ servers: { raw: { upstream: upstreamTo(server.url) } } });
    const { body } = await stage.post("tools/call", { name: "huge" });
    expect(body.error.data.reason).toBe("unknown-tool");
    expect((await stage.post("tools/call", { name: "fine" })).body.result).toBeDefined();
    const { ticket } = await stage.open("ui://x/y");
    expect(ticket).toBeDefined();
  });

  it("S5: a view of a server with large definitions is opened without blocking the gateway", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`field-${n}`, { type: "string", title: `${n}` }]),
    );
    await using server = await serveRaw(
      Array.from({ length: 400 }, (_, n) => tool(`tool-${n}`, { inputSchema: { properties } })),
    );
    await using stage = await openStage({ servers: { raw: { upstream: upstreamTo(server.url) } } });
    await stage.post("tools/call", { name: "tool-1" });
    const delay = await longestDelay(() => stage.open("ui://x/y"));
    expect(delay).toBeLessThan(MOST_DELAY);
  });
});
