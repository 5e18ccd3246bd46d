import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openNatsEngine } from "@vitrine/cluster";
import type { Change, SharedEngine } from "@vitrine/gateway/engine";
import { bytesOf, codeOf, textOf, until } from "@vitrine/internal/engine-trial";
import { type NatsNode, type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshPrefix } from "./stage.ts";

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describe("servers that fail", { timeout: 120_000 }, () => {
  let servers: NatsServers;
  let engines: SharedEngine[] = [];
  let prefix = "";
  beforeEach(() => {
    prefix = freshPrefix();
    engines = [];
  });
  afterEach(async () => {
    for (const node of servers.nodes) node.thaw();
    await Promise.all(engines.map((engine) => engine.close()));
    await servers.stop();
  });
  /** An engine that connects to one node, which announces the others. */
  const openOn = async (node: NatsNode | undefined): Promise<SharedEngine> => {
    const engine = await openNatsEngine({ servers: [node?.url ?? ""], prefix });
    engines.push(engine);
    return engine;
  };
  const leaderOf = async (stream: string): Promise<NatsNode> => {
    const nc = await connect({ servers: servers.urls });
    const { cluster } = await (await jetstreamManager(nc)).streams.info(stream);
    await nc.close();
    const found = servers.nodes.find(({ name }) => name === cluster?.leader);
    if (!found) throw new Error(`Nobody leads ${stream}.`);
    return found;
  };

  test("leaves a frozen server within five seconds, and writes keys again", async () => {
    servers = await startNats({ nodes: 3 });
    const [frozen, other] = servers.nodes;
    const [engine, peer] = [await openOn(frozen), await openOn(other)];
    peer.bus.serve("echo", async (body) => body);
    const ask = (): Promise<string> =>
      codeOf(engine.bus.request("echo", bytesOf("x"), { deadline: 500 }));
    await until(async () => (await ask()) === "it succeeded");
    await engine.kv("grants").put("a", bytesOf("1"));
    frozen?.freeze();
    const since = performance.now();
    expect(await ask()).toBe("timeout");
    while ((await ask()) !== "it succeeded") await pause(20);
    expect(performance.now() - since).toBeLessThan(5_000);
    // If the frozen server led the stream, another leader has to be elected first.
    while ((await codeOf(engine.kv("grants").put("a", bytesOf("2")))) !== "it succeeded");
    expect(textOf((await peer.kv("grants").get("a"))?.value)).toBe("2");
    expect(performance.now() - since).toBeLessThan(30_000);
  });

  test("loses and duplicates no acknowledged record when the log's leader is killed", async () => {
    servers = await startNats({ nodes: 3 });
    const writers = [await openOn(servers.nodes[0]), await openOn(servers.nodes[1])];
    await writers[0]?.log.append("audit", [bytesOf("first")], { id: "first" });
    const acknowledged: string[] = ["first"];
    const codes = new Set<string>();
    let isOver = false;
    const write = async (writer: SharedEngine, name: string): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const id = `${name}:${n}`;
        for (let code = ""; code !== "it succeeded"; codes.add(code)) {
          code = await codeOf(writer.log.append("audit", [bytesOf(id), bytesOf(id)], { id }));
        }
        acknowledged.push(id, id);
      }
    };
    const writing = writers.map((writer, n) => write(writer, `w${n}`));
    await until(() => acknowledged.length > 200);
    const leader = await leaderOf(`LOG_${prefix}_audit`);
    await leader.kill();
    const atKill = acknowledged.length;
    const killed = performance.now();
    while (acknowledged.length < atKill + 400 && performance.now() - killed < 40_000) {
      await pause(50);
    }
    isOver = true;
    await Promise.all(writing);
    expect(acknowledged.length).toBeGreaterThanOrEqual(atKill + 400);
    for (const code of codes) expect(["it succeeded", "timeout", "unavailable"]).toContain(code);
    const reader = await openOn(servers.nodes.find((node) => node !== leader));
    const read: string[] = [];
    for await (const { record } of reader.log.read("audit")) read.push(textOf(record) ?? "");
    expect(read.sort()).toEqual(acknowledged.sort());
  });

  test("revisions keep rising after a restart of all servers, also in a bucket that isn't durable", async () => {
    servers = await startNats({ nodes: 1 });
    const engine = await openOn(servers.nodes[0]);
    const leases = engine.kv("leases");
    let fence = 0;
    for (let n = 0; n < 10; n++) fence = await leases.put("node", bytesOf(String(n)));
    await engine.log.append("audit", [bytesOf("1")]);
    await servers.nodes[0]?.restart();
    expect(await leases.put("node", bytesOf("again"))).toBeGreaterThan(fence);
    expect((await engine.log.append("audit", [bytesOf("2")])).first).toBeGreaterThan(1);
    const read: (string | undefined)[] = [];
    for await (const { record } of engine.log.read("audit")) read.push(textOf(record));
    expect(read).toEqual(["1", "2"]);
  });

  test("a watch reports keys that were deleted during a disconnect, even without a marker", async () => {
    servers = await startNats({ nodes: 1 });
    const [node] = servers.nodes;
    const engine = await openOn(node);
    const grants = engine.kv("grants");
    await grants.put("ann", bytesOf("yes"));
    await grants.put("bob", bytesOf("yes"));
    const received: Change[] = [];
    grants.watch((change) => received.push(change));
    await until(() => received.length === 2);
    // As if the marker had expired during the disconnect.
    const nc = await connect({ servers: servers.urls });
    const { streams } = await jetstreamManager(nc);
    await streams.purge(`KV_${prefix}_grants`, { filter: `$KV.${prefix}_grants.ann` });
    await nc.close();
    await node?.end();
    await node?.restart();
    await until(() => received.length > 2);
    expect(received.slice(2).map(({ key, reason }) => `${reason} ${key}`)).toEqual(["deleted ann"]);
    await grants.put("cid", bytesOf("yes"));
    await until(() => received.at(-1)?.key === "cid");
    expect(received).toHaveLength(4);
  });

  test("requests fail while no server can be reached, and succeed later", async () => {
    servers = await startNats({ nodes: 1 });
    const engine = await openOn(servers.nodes[0]);
    engine.bus.serve("echo", async (body) => body);
    const ask = (): Promise<string> =>
      codeOf(engine.bus.request("echo", bytesOf("x"), { deadline: 5_000 }));
    await until(async () => (await ask()) === "it succeeded");
    await servers.nodes[0]?.kill();
    await until(async () => (await ask()) === "unavailable");
    const since = performance.now();
    expect(await ask()).toBe("unavailable");
    expect(performance.now() - since).toBeLessThan(500);
    engine.bus.publish("lost", bytesOf("x"));
    await servers.nodes[0]?.restart();
    await until(async () => (await ask()) === "it succeeded");
  });
});
