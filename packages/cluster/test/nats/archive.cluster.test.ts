// The archive of a log on real NATS: with killed archivers, several archivers, a lost server, and the
// housekeeping that must wait for them.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNatsEngine } from "@vitrine/cluster";
import type { Engine } from "@vitrine/gateway/engine";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { slowestArchive } from "../../../gateway/src/audit/archive/index.ts";
import { createAudit, type ReadRecord } from "../../../gateway/src/audit/index.ts";
import { queryAudit } from "../../../gateway/src/audit/query.ts";
import { runCommand } from "../../../gateway/src/service/command-line.ts";
import { createKeyFiles } from "../../../gateway/src/service/key-files.ts";
import { startHousekeeping } from "../../../gateway/src/service/retention.ts";
import {
  KEYS,
  lookInto,
  openArchiver,
  stepsOf,
} from "../../../gateway/test/audit/archive-stage.ts";
import {
  type Child,
  commandOf,
  startChild,
  testFolder,
} from "../../../gateway/test/engine/children/child.ts";
import { openServiceStage } from "../../../gateway/test/service/stage.ts";
import { freshPrefix } from "./stage.ts";

const archiving = new URL("./children/archiving.ts", import.meta.url);
const DAY = 24 * 60 * 60_000;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

/** Numbers that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe("an archive of a log on NATS", { timeout: 120_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 });
  }, 60_000);
  afterAll(() => servers?.stop());

  async function open(prefix: string, node = 0): Promise<Engine> {
    const engine = await openNatsEngine({ servers: [servers.nodes[node]?.url ?? ""], prefix });
    onTestFinished(() => engine.close());
    return engine;
  }

  const startArchiving = (folder: string, prefix: string, node = 1): Child =>
    startChild(commandOf(archiving, folder, servers.nodes[node]?.url ?? "", prefix));

  /** Processes that record until they are stopped, and how many records each has stored. */
  function keepRecording(engines: readonly Engine[]): { end(): Promise<number> } {
    let isOver = false;
    const running = engines.map(async (engine, n) => {
      const audit = await createAudit({ engine, node: `gateway-${n}`, keys: KEYS });
      let count = 0;
      while (!isOver) {
        try {
          audit.record({ event: "request", tool: `tool-${n}-${count}`, arguments: { n, count } });
          count += 1;
          if (count % 20 === 0) await audit.flushed();
        } catch {
          // No server leads: accepted records wait, and further ones are refused until one does.
          await pause(20);
        }
      }
      await audit.close();
      return count;
    });
    // A test that already failed reports its own error, not these.
    for (const recorder of running) recorder.catch(() => {});
    return {
      end: async () => {
        isOver = true;
        return (await Promise.all(running)).reduce((sum, count) => sum + count, 0);
      },
    };
  }

  /** Waits for the folder: a process that was killed holds its lease for a while. */
  async function untilWriting(archiver: { state: { isWriting: boolean } }): Promise<void> {
    await expect.poll(() => archiver.state.isWriting, { timeout: 30_000 }).toBe(true);
  }

  /** Archives the rest, then compares the archive with the log. */
  async function finish(engine: Engine, folder: string, records: number): Promise<void> {
    const { archiver, said } = await openArchiver(engine, folder);
    await untilWriting(archiver);
    await archiver.close(30_000);
    expect(said.problems.filter(Boolean)).toEqual([]);
    const { steps, files, found } = await lookInto(folder);
    const stream = await stepsOf(engine.log);
    expect(steps.length).toBe(stream.length);
    expect(steps).toEqual(stream);
    expect(new Set(steps).size).toBe(steps.length);
    expect(files).toEqual([]);
    expect(found).toMatchObject({ ok: true, findings: [], gaps: [], records });
    expect(found.chains).toHaveLength(2);
  }

  test.each([1, 2, 3])(
    "has every record once and in order after an archiver was killed repeatedly (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const [folder, prefix] = [join(await testFolder(), "archive"), freshPrefix()];
      const engines = [await open(prefix, 0), await open(prefix, 1)];
      const recording = keepRecording(engines);
      for (let kill = 0; kill < 4; kill++) {
        const child = startArchiving(folder, prefix);
        await child.said("writing ");
        await pause(random() * 300);
        child.process.kill("SIGKILL");
        await child.ended;
        const { steps, found } = await lookInto(folder);
        expect(new Set(steps).size).toBe(steps.length);
        expect(found.findings).toEqual([]);
      }
      const records = await recording.end();
      expect(records).toBeGreaterThan(200);
      await finish(engines[0] as Engine, folder, records);
    },
  );

  test("is searched newest first, page by page, as any other log", async () => {
    const engine = await open(freshPrefix());
    const audit = await createAudit({ engine, node: "n1" });
    for (let n = 0; n < 40; n++) {
      const actor = { tenant: n % 2 === 0 ? "acme" : "globex", user: "alice" };
      audit.record({ event: "request", actor, tool: `t${n}`, decision: { verdict: "allow" } });
      if (n % 4 === 0) await audit.flushed();
    }
    await audit.close();
    const found: ReadRecord[] = [];
    for (let cursor: string | undefined = "9007199254740991.0"; cursor !== undefined; ) {
      const page = await queryAudit({ log: engine.log, user: "acme/alice", limit: 6, cursor });
      found.push(...page.items);
      cursor = page.next;
    }
    const expected = Array.from({ length: 20 }, (_, n) => `t${38 - 2 * n}`);
    expect(found.map(({ tool }) => tool)).toEqual(expected);
  });

  test("continues in a second archiver when the active one is killed", async () => {
    const [folder, prefix] = [join(await testFolder(), "archive"), freshPrefix()];
    const engines = [await open(prefix, 0), await open(prefix, 1)];
    const recording = keepRecording(engines);
    const first = startArchiving(folder, prefix, 1);
    await first.said("writing ");
    const second = startArchiving(folder, prefix, 2);
    await second.said(`notice ${folder} is written by another process`);
    await pause(500);
    expect(second.lines.some((line) => line.startsWith("writing"))).toBe(false);
    first.process.kill("SIGKILL");
    await second.said("writing ");
    await pause(500);
    const records = await recording.end();
    second.process.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    await finish(engines[0] as Engine, folder, records);
  });

  test("waits while a NATS server is down, and is complete afterwards", async () => {
    const own = await startNats({ nodes: 3 });
    onTestFinished(() => own.stop());
    const [folder, prefix] = [join(await testFolder(), "archive"), freshPrefix()];
    const openOn = async (node: number): Promise<Engine> => {
      const engine = await openNatsEngine({ servers: [own.nodes[node]?.url ?? ""], prefix });
      onTestFinished(() => engine.close());
      return engine;
    };
    const engines = [await openOn(0), await openOn(1)];
    const { archiver } = await openArchiver(await openOn(2), folder);
    const recording = keepRecording(engines);
    await expect.poll(() => archiver.state.place, { timeout: 10_000 }).toBeGreaterThan(0);
    await own.nodes[2]?.kill();
    const before = archiver.state.place;
    await expect.poll(() => archiver.state.place, { timeout: 40_000 }).toBeGreaterThan(before);
    const records = await recording.end();
    await archiver.close(30_000);
    await finish(engines[0] as Engine, folder, records);
  });

  test("delays the housekeeping of every process until records are archived", async () => {
    const [folder, prefix] = [join(await testFolder(), "archive"), freshPrefix()];
    const engines = [await open(prefix, 0), await open(prefix, 1)];
    const [engine, other] = engines as [Engine, Engine];
    const tidy = async (): Promise<number> => {
      const audit = { record: () => {} };
      const log = { info: () => {}, warn: () => {}, error: () => {} } as never;
      const retention = { auditDays: 1, documentDays: 30 };
      const clock = (): number => Date.now() + 1_000 * DAY;
      // The housekeeping of a process that archives nothing itself.
      const house = startHousekeeping({ engine: other, audit, log, retention, clock });
      await house.run();
      await house.close();
      return (await engine.log.bounds("audit"))?.first ?? Number.POSITIVE_INFINITY;
    };
    const child = startArchiving(folder, prefix);
    let recording = keepRecording(engines);
    await child.said("writing ");
    await pause(300);
    child.process.kill("SIGKILL");
    await child.ended;
    await recording.end();
    const reached = (await slowestArchive(engine))?.place ?? 0;
    const { last = 0 } = (await engine.log.bounds("audit")) ?? {};
    expect(reached).toBeLessThan(last);
    const stream = await stepsOf(engine.log);
    expect(await tidy()).toBeLessThanOrEqual(reached + 1);
    recording = keepRecording(engines);
    await recording.end();
    const { archiver } = await openArchiver(engine, folder);
    await untilWriting(archiver);
    await archiver.close(30_000);
    const { steps } = await lookInto(folder);
    expect(steps.slice(0, stream.length)).toEqual(stream);
    expect(await tidy()).toBeGreaterThan(last);
    expect((await lookInto(folder)).found).toMatchObject({ ok: true, gaps: [] });
  });

  test("is written by the process with the role, verified by the command, and visible in the metrics", async () => {
    const [folder, prefix] = [await mkdtemp(join(tmpdir(), "vitrine-archive-")), freshPrefix()];
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const archive = join(folder, "archive");
    const keys = join(folder, "keys");
    await createKeyFiles(keys);
    const of = (node: string, roles: string[]) => ({
      keys: { folder: keys },
      engine: { driver: "nats", servers: servers.urls, prefix, node, folder: join(folder, node) },
      audit: { archive: { folder: archive } },
      cluster: { roles },
    });
    const edge = await openServiceStage(of("edge", ["edge", "runner"]));
    const keeper = await openServiceStage(of("keeper", ["archiver"]));
    for (let n = 0; n < 10; n++) expect((await edge.post("tools/list")).status).toBe(200);
    const metrics = async (stage: typeof edge): Promise<string> =>
      (await fetch(`${stage.service.operatorUrl}/metrics`)).text();
    await expect
      .poll(() => metrics(keeper), { timeout: 20_000 })
      .toMatch(/vitrine_archive_steps_total [1-9]/);
    await expect
      .poll(() => metrics(keeper), { timeout: 20_000 })
      .toContain("vitrine_archive_lag_records 0");
    // The last records may not have been forwarded yet.
    await expect
      .poll(() => metrics(edge), { timeout: 20_000 })
      .toContain("vitrine_audit_spool_batches 0");
    const told = await metrics(edge);
    expect(told).not.toContain("vitrine_archive");
    for (const line of [
      'vitrine_cluster_members{role="edge"} 1',
      'vitrine_cluster_members{role="archiver"} 1',
      "vitrine_cluster_lease 1",
      'vitrine_cluster_leases_total{event="held"} 1',
      "vitrine_engine_connected 1",
      "vitrine_engine_reconnects_total 0",
      'vitrine_cluster_calls_total{direction="out",outcome="answered"} 0',
      "vitrine_cluster_news_healed_total 0",
    ]) {
      expect(told).toContain(line);
    }
    const config = keeper.config;
    await edge[Symbol.asyncDispose]();
    await keeper[Symbol.asyncDispose]();
    const file = join(folder, "gateway.yaml");
    // Without NATS: the archive can be verified alone.
    const away = { ...config.engine, servers: ["nats://127.0.0.1:9"] };
    await writeFile(file, stringify({ ...config, engine: away }));
    let out = "";
    const print = (text: string): void => {
      out += text;
    };
    const signal = AbortSignal.timeout(30_000);
    const context = { environment: {}, out: print, err: print, signal, onStart: () => {} };
    const run = (...words: string[]) => runCommand(words, context);
    expect(await run("audit", "verify", "--archive", archive, "--config", file)).toBe(0);
    expect(out).toMatch(/^[1-9]\d* records in \d+ steps, of 2 runs of the gateway\.\n/);
    expect(out).toContain("The log is complete and unmodified.");
    out = "";
    expect(await run("audit", "tail", "--archive", archive, "--server", "station")).toBe(0);
    expect(out).toContain("tools/list");
  });
});
