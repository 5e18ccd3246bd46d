import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { createSchemaCheck } from "../../src/policy/schema-check.ts";
import { FairSlots } from "../../src/upstreams/fair-slots.ts";
import { testFolder } from "../engine/children/child.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { openStage, upstreamTo } from "../stage.ts";

/** Members of every object. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

describe("S17: names of Object.prototype", () => {
  it("S17: as tenant, user, server and tool, they are names like others", async () => {
    await using server = await serveRaw([
      ...NAMES.map((name) => tool(name)),
      tool("plain", { inputSchema: { type: "object", properties: { a: { type: "string" } } } }),
    ]);
    const upstream = () => ({ upstream: upstreamTo(server.url) });
    const servers = Object.fromEntries(["first", ...NAMES].map((name) => [name, upstream()]));
    await using stage = await openStage({
      servers,
      authenticate: async (token) => ({ tenant: token, user: token }),
    });
    for (const name of NAMES) {
      const options = { token: name, server: name };
      const { body } = await stage.post("tools/call", { name, arguments: {} }, options);
      expect(body.result?.content[0].text).toBe(name);
      const listed = await stage.post("tools/list", {}, options);
      expect(listed.body.result.tools.map((each: { name: string }) => each.name)).toContain(name);
    }
    const unknown = { token: "toString", server: "isPrototypeOf" };
    expect((await stage.post("tools/call", { name: "plain" }, unknown)).status).toBe(404);
    const { body } = await stage.post("tools/call", { name: "isPrototypeOf" });
    expect(body.error.data.reason).toBe("unknown-tool");
  });

  it("S17: a view may call a tool of such a name, and no other", async () => {
    await using server = await serveRaw([tool("__proto__"), tool("toString")]);
    await using stage = await openStage({
      servers: { raw: { upstream: upstreamTo(server.url), settings: { consent: "host" } } },
    });
    const { ticket } = await stage.open("ui://x/y");
    const socket = await stage.socket(ticket);
    for (const name of ["__proto__", "toString"]) {
      const answer = await socket.request("tools/call", { name, arguments: {} });
      expect(answer.result?.content[0].text).toBe(name);
    }
    const none = await socket.request("tools/call", { name: "constructor", arguments: {} });
    expect(none.error.data.reason).toBe("unknown-tool");
    socket.socket.close();
  });

  it("S17: a property of such a name is one only if the arguments have it", async () => {
    const check = createSchemaCheck();
    const whose = { server: "s", tool: "t", tenant: "acme", user: "alice" };
    for (const name of NAMES) {
      const properties = JSON.parse(`{${JSON.stringify(name)}:{"type":"string"}}`);
      for (const more of [{}, { not: { required: ["absent"] } }]) {
        const schema = { type: "object", properties, ...more };
        expect(await check.check({ schema, value: {}, ...whose })).toBeUndefined();
        const required = { ...schema, required: [name] };
        const missing = await check.check({ schema: required, value: {}, ...whose });
        expect([name, missing?.kind]).toEqual([name, "mistake"]);
        const value = JSON.parse(`{${JSON.stringify(name)}:"a"}`);
        expect(await check.check({ schema: required, value, ...whose })).toBeUndefined();
      }
    }
    await check.close();
  });

  it("S17: slots are shared by such tenants and users like by others", async () => {
    const slots = new FairSlots({ limit: 8, queue: 8, perTenant: 1, perUser: 1 });
    for (const name of NAMES) {
      expect(await slots.take({ tenant: name, user: name })).toBeTypeOf("function");
      void slots.take({ tenant: name, user: name });
    }
    expect([slots.taken, slots.waiting]).toEqual([5, 5]);
  });

  it("S17: a configuration may name its servers so", async () => {
    const file = join(await testFolder(), "gateway.yaml");
    const lines = NAMES.map(
      (name) => `  ${name}:\n    url: https://${NAMES.indexOf(name)}.example/`,
    );
    await writeFile(file, `servers:\n${lines.join("\n")}\n`);
    const { config } = await loadConfig(file, {});
    expect(Object.keys(config.servers)).toEqual(NAMES);
    for (const name of NAMES) expect(config.servers[name]?.atOnce).toBe(64);
  });
});
