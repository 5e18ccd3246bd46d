import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TenantShares } from "../../src/cluster/tenant-shares.ts";
import { loadConfig } from "../../src/config/load.ts";
import { createSchemaCheck } from "../../src/pipeline/schema-check.ts";
import { FairSlots } from "../../src/upstreams/fair-slots.ts";
import { openProcesses } from "../cluster/stage.ts";
import { testFolder } from "../engine/children/child.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { openStage, upstreamTo } from "../stage.ts";
import { until } from "../upstreams/calls.ts";

/** Members of every object. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

describe("S17: names of Object.prototype", () => {
  it("S17: as a tenant, none bypasses the limit of the cluster", async () => {
    const { processes } = await openProcesses(2, { ttl: 60_000 });
    let clock = 0;
    const shares = processes.map(
      ({ cluster }) =>
        new TenantShares({ perMinute: 600, cluster, interval: 2 ** 30, now: () => clock }),
    );
    await until(() =>
      processes.every(({ cluster }) => cluster.membership.members("edge").length === 1),
    );
    const ask = (name: string): number => {
      let given = 0;
      for (const share of shares) {
        for (let n = 0; n < 1_000; n++) if (share.take(name)) given += 1;
      }
      return given;
    };
    const tell = async (): Promise<void> => {
      for (const share of shares) share.tick();
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const share of shares) share.tick();
    };
    // There are reports, and none of these tenants is in them.
    ask("acme");
    await tell();
    const usual = ask("bravo");
    expect(usual).toBeLessThan(200);
    for (const name of NAMES) expect([name, ask(name)]).toEqual([name, usual]);
    // And once the processes have told each other what was asked for.
    await tell();
    clock = 10_000;
    const next = ask("bravo");
    expect(next).toBeGreaterThan(0);
    for (const name of NAMES) expect([name, ask(name)]).toEqual([name, next]);
    for (const share of shares) share.close();
  });

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

  it("S17: slots are shared by such tenants and users like by others", () => {
    const slots = new FairSlots({ limit: 8, queue: 8, perTenant: 1, perUser: 1 });
    for (const name of NAMES) {
      expect(slots.take({ tenant: name, user: name })).toBeTypeOf("function");
      slots.take({ tenant: name, user: name });
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
