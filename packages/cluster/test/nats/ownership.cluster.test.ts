// Ownership with real NATS servers between the processes, each connected to another node.

import { openNatsEngine } from "@vitrine/cluster";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../../gateway/src/engine/index.ts";
import { call, openProcess, type Process, processOf, World } from "../stage.ts";
import { freshPrefix } from "./stage.ts";

interface Stage {
  world: World;
  engines: Engine[];
  processes: Process[];
}

describe("processes on a cluster of three nats-servers", { timeout: 90_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 });
  }, 60_000);
  afterAll(() => servers?.stop());

  const open = async (options: { ttl?: number; grace?: number } = {}): Promise<Stage> => {
    const prefix = freshPrefix();
    const world = new World();
    const engines = await Promise.all(
      servers.urls.map((url) => openNatsEngine({ servers: [url], prefix })),
    );
    const processes = await Promise.all(
      engines.map((engine, n) => openProcess(engine, world, { name: `p${n + 1}`, ...options })),
    );
    onTestFinished(async () => {
      await Promise.allSettled(processes.map(({ upstream }) => upstream.close()));
      await Promise.allSettled(processes.map(({ cluster }) => cluster.close()));
      await Promise.all(engines.map((engine) => engine.close()));
    });
    return { world, engines, processes };
  };
  const ask = (process: Process | undefined, name: string): Promise<string> =>
    processOf(process?.upstream.send(call(name, {}, { deadline: 30_000 })) as never);

  /** The process that answers in the end; calls during a change of the owner may fail. */
  const answerOf = async (process: Process | undefined): Promise<string> => {
    for (const end = Date.now() + 40_000; Date.now() < end; ) {
      const answer = await ask(process, "c").catch(() => undefined);
      if (answer) return answer;
    }
    return "nobody";
  };

  test("one of many concurrent processes becomes the owner, and answers all calls", async () => {
    const { world, processes } = await open({ ttl: 5_000, grace: 1_000 });
    const answers = processes.flatMap((process) =>
      Array.from({ length: 10 }, () => ask(process, "a")),
    );
    expect(new Set(await Promise.all(answers)).size).toBe(1);
    expect([world.lives.length, world.calls.length]).toEqual([1, 30]);
  });

  test("an owner that loses NATS ends its child before another process starts one", async () => {
    const { world, engines, processes } = await open({ ttl: 2_000, grace: 500 });
    expect(await ask(processes[0], "a")).toBe("p1");
    expect(await ask(processes[1], "b")).toBe("p1");
    await engines[0]?.close();
    expect(await answerOf(processes[1])).not.toBe("p1");
    const [before, after] = world.lives;
    expect(after?.from).toBeGreaterThan(before?.to ?? Number.POSITIVE_INFINITY);
    expect(world.overlaps()).toEqual([]);
  });

  test("there are never two children when the owner's server freezes, and calls succeed again", async () => {
    const { world, processes } = await open({ ttl: 3_000, grace: 1_000 });
    expect(await ask(processes[0], "a")).toBe("p1");
    expect(await ask(processes[2], "b")).toBe("p1");
    servers.nodes[0]?.freeze();
    onTestFinished(() => servers.nodes[0]?.thaw());
    // NATS has to elect other leaders first, and the owner has to reconnect or to lose its lease.
    expect(await answerOf(processes[2])).toMatch(/^p[123]$/);
    expect(world.overlaps()).toEqual([]);
  });
});
