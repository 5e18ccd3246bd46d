import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Change, Engine } from "@vitrine/gateway/engine";
import { openNatsEngine } from "@vitrine/gateway/nats";
import { bytesOf, codeOf, textOf, until } from "@vitrine/testing/engine-trial";
import { type NatsNode, type NatsServers, startNats } from "@vitrine/testing/nats-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshPrefix } from "./stage.ts";

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

describe("servers that fail", { timeout: 120_000 }, () => {
  let servers: NatsServers;
  let engines: Engine[] = [];
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
  /** An engine that sits on one node, and knows the others from it. */
  const openOn = async (node: NatsNode | undefined): Promise<Engine> => {
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

  test("a server that freezes is left within five seconds, and keys are written again", async () => {
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
    // If the frozen one led the stream, another has to be elected first.
    while ((await codeOf(engine.kv("grants").put("a", bytesOf("2")))) !== "it succeeded");
    expect(textOf((await peer.kv("grants").get("a"))?.value)).toBe("2");
    expect(performance.now() - since).toBeLessThan(30_000);
  });

  test("when the log's leader is killed nothing acknowledged is lost and nothing is doubled", async () => {
    servers = await startNats({ nodes: 3 });
    const writers = [await openOn(servers.nodes[0]), await openOn(servers.nodes[1])];
    await writers[0]?.log.append("audit", [bytesOf("first")], { id: "first" });
    const acknowledged: string[] = ["first"];
    const codes = new Set<string>();
    let isOver = false;
    const write = async (writer: Engine, name: string): Promise<void> => {
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

  test("after a restart of all servers revisions go on rising, also of a bucket that need not last", async () => {
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

  test("a watcher whose server was away hears of what went meanwhile, though no mark is left of it", async () => {
    servers = await startNats({ nodes: 1 });
    const [node] = servers.nodes;
    const engine = await openOn(node);
    const grants = engine.kv("grants");
    await grants.put("ann", bytesOf("yes"));
    await grants.put("bob", bytesOf("yes"));
    const heard: Change[] = [];
    grants.watch((change) => heard.push(change));
    await until(() => heard.length === 2);
    // As if the mark had been there and had expired while nobody looked.
    const nc = await connect({ servers: servers.urls });
    const { streams } = await jetstreamManager(nc);
    await streams.purge(`KV_${prefix}_grants`, { filter: `$KV.${prefix}_grants.ann` });
    await nc.close();
    await node?.end();
    await node?.restart();
    await until(() => heard.length > 2);
    expect(heard.slice(2).map(({ key, reason }) => `${reason} ${key}`)).toEqual(["deleted ann"]);
    await grants.put("cid", bytesOf("yes"));
    await until(() => heard.at(-1)?.key === "cid");
    expect(heard).toHaveLength(4);
  });

  test("who waits for an answer hears soon that the one who was asked is gone", async () => {
    servers = await startNats({ nodes: 3 });
    const [engine, peer] = [await openOn(servers.nodes[0]), await openOn(servers.nodes[1])];
    let asked = 0;
    peer.bus.serve("owner", () => {
      asked += 1;
      return new Promise(() => {});
    });
    const ask = (): Promise<string> =>
      codeOf(engine.bus.request("owner", bytesOf("x"), { deadline: 60_000 }));
    let asking = ask();
    while (asked === 0) {
      asking = ask();
      await pause(20);
    }
    const since = performance.now();
    await peer.close();
    // It may have been done: that it was not is not said.
    expect(await asking).toBe("timeout");
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await ask()).toBe("no-responders");
  });

  test("while no server can be reached requests fail at once, and later they do not", async () => {
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

  test("a batch whose consumer died is handed to the next of its group", async () => {
    servers = await startNats({ nodes: 3 });
    const [first, second] = [await openOn(servers.nodes[0]), await openOn(servers.nodes[1])];
    await first.log.append("audit", [bytesOf("1")]);
    let begun = 0;
    first.log.consume("archive", "audit", () => {
      begun += 1;
      return new Promise(() => {});
    });
    await until(() => begun === 1);
    const taken: (string | undefined)[] = [];
    second.log.consume("archive", "audit", async (records) => {
      taken.push(...records.map(({ record }) => textOf(record)));
    });
    await pause(1_000);
    expect(taken).toEqual([]);
    await first.close();
    const since = performance.now();
    while (taken.length === 0 && performance.now() - since < 30_000) await pause(50);
    expect(taken).toEqual(["1"]);
  });
});
