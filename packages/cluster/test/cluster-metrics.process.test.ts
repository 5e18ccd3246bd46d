// The metrics of several processes, read as Prometheus reads them.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import {
  createMemoryEngine,
  EngineError,
  openSqliteEngine,
} from "../../gateway/src/engine/index.ts";
import { createMetrics, type Metrics } from "../../gateway/src/observability/metrics.ts";
import {
  addStorageMetrics,
  type StorageSources,
} from "../../gateway/src/observability/storage-metrics.ts";
import { TenantLimits } from "../../gateway/src/policy/tenant-limits.ts";
import { ann, until } from "../../gateway/test/upstreams/calls.ts";
import type { Cluster } from "../src/cluster.ts";
import { openSpooledEngine } from "../src/spool/spooled-engine.ts";
import { call, failureOf, openProcesses, type Process } from "./stage.ts";

let opened: Metrics[] = [];
afterEach(() => {
  for (const metrics of opened) metrics.close();
  opened = [];
});

/** Reads one metric at a time. */
function figures({
  cluster,
  ...sources
}: Partial<StorageSources> & { cluster?: Cluster }): (name: string) => Promise<number | undefined> {
  const metrics = createMetrics();
  opened.push(metrics);
  const none = { link: undefined, spool: undefined, tenants: undefined, archive: undefined };
  addStorageMetrics(metrics.sink, { ...none, ...sources });
  cluster?.addMetrics(metrics.sink);
  return async (name) => {
    const lines = (await metrics.text()).split("\n");
    const value = lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
    return value === undefined ? undefined : Number(value);
  };
}

const calls = (direction: string, outcome: string): string =>
  `vitrine_cluster_calls_total{direction="${direction}",outcome="${outcome}"}`;

test("counts calls to another owner on both sides, by outcome", async () => {
  const { processes, world } = await openProcesses(2);
  const [owner, edge] = processes as [Process, Process];
  const [here, there] = processes.map(({ cluster }) => figures({ cluster }));
  await owner.upstream.send(call("first"));
  // Its own calls stay in the process.
  expect(await here?.(calls("out", "answered"))).toBe(0);
  for (let n = 0; n < 3; n++) await edge.upstream.send(call(`routed-${n}`));
  expect(await there?.(calls("out", "answered"))).toBe(3);
  expect(await here?.(calls("in", "answered"))).toBe(3);
  const stop = new AbortController();
  const given = edge.upstream.send(call("given-up", { wait: "open" }, { signal: stop.signal }));
  await until(() => world.count("given-up") === 1);
  stop.abort();
  expect(await failureOf(given)).toBe("aborted");
  expect(await there?.(calls("out", "cancelled"))).toBe(1);
  await until(async () => (await here?.(calls("in", "cancelled"))) === 1);
  const unanswered = edge.upstream.send(call("lost", { wait: "open" }));
  await until(() => world.count("lost") === 1);
  owner.engine.cut();
  expect(await failureOf(unanswered)).toBe("outcome-unknown");
  const [lost, failed] = [
    await there?.(calls("out", "lost")),
    await there?.(calls("out", "failed")),
  ];
  expect([lost, failed]).toContain(1);
});

test("counts members by role, and lost and renewed leases", async () => {
  const { processes } = await openProcesses(3, { roles: ["edge", "runner"] });
  const [first] = processes as [Process];
  const read = figures({ cluster: first.cluster });
  await until(async () => (await read('vitrine_cluster_members{role="edge"}')) === 3);
  expect(await read('vitrine_cluster_members{role="archiver"}')).toBe(0);
  await until(async () => (await read("vitrine_cluster_lease")) === 1);
  first.engine.cut();
  await until(async () => (await read("vitrine_cluster_lease")) === 0);
  await until(async () => (await read('vitrine_cluster_leases_total{event="lost"}')) === 1);
  first.engine.heal();
  await until(async () => (await read("vitrine_cluster_lease")) === 1);
  await until(async () => (await read('vitrine_cluster_leases_total{event="held"}')) === 2);
});

test("counts changes that the bus lost once they are detected, not before", async () => {
  const { processes } = await openProcesses(2);
  const [source, other] = processes as [Process, Process];
  const received: string[] = [];
  source.upstream.listen(ann, () => {});
  await until(() => source.local.listeners.size === 1);
  other.upstream.listen(ann, ({ kind }) => received.push(kind));
  const read = figures({ cluster: other.cluster });
  await new Promise((resolve) => setTimeout(resolve, 500));
  source.local.tell("tools");
  await until(() => received.length === 1);
  expect(await read("vitrine_cluster_news_healed_total")).toBe(0);
  const { bus } = source.engine;
  const publish = bus.publish;
  bus.publish = () => {};
  source.local.tell("tools");
  await until(() => received.length > 1);
  bus.publish = publish;
  expect(await read("vitrine_cluster_news_healed_total")).toBe(1);
});

test("counts the connection to the engine and messages that failed authentication", async () => {
  const { processes, engine } = await openProcesses(1);
  const [{ cluster }] = processes as [Process];
  const link = { isConnected: true, reconnects: 0 };
  const read = figures({ cluster, link });
  const { node, epoch } = cluster.membership;
  const forged = engine.bus.request(`n.${node}.${epoch}`, Buffer.from("x"), { deadline: 1000 });
  await expect(forged).rejects.toMatchObject({ code: "unavailable" });
  expect(await read("vitrine_engine_connected")).toBe(1);
  Object.assign(link, { isConnected: false, reconnects: 4 });
  expect(await read("vitrine_engine_connected")).toBe(0);
  expect(await read("vitrine_engine_reconnects_total")).toBe(4);
  expect(await read("vitrine_cluster_envelopes_refused_total")).toBe(1);
});

test("counts records that wait in the spool, until they are forwarded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-depth-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const remote = createMemoryEngine();
  const { append } = remote.log;
  let isAway = true;
  remote.log.append = (...args) =>
    isAway
      ? Promise.reject(new EngineError("unavailable", "Away."))
      : append.apply(remote.log, args);
  const local = await openSqliteEngine({ folder });
  const spooled = await openSpooledEngine(remote, { local }, ["audit"]);
  const read = figures({ spool: () => spooled.depth });
  expect(await read("vitrine_audit_spool_bytes")).toBe(0);
  for (let n = 0; n < 3; n++) {
    await spooled.log.append("audit", [new Uint8Array(1_000)], { id: `batch-${n}` });
  }
  expect(await read("vitrine_audit_spool_batches")).toBe(3);
  expect(await read("vitrine_audit_spool_bytes")).toBeGreaterThanOrEqual(3_000);
  isAway = false;
  await until(async () => (await read("vitrine_audit_spool_batches")) === 0, 10_000);
  expect(await read("vitrine_audit_spool_bytes")).toBe(0);
  await spooled.close();
});

test("reports the number and the mean of tenants, never a name", async () => {
  const { processes } = await openProcesses(2);
  const [first] = processes as [Process];
  const { cluster } = first;
  const tenants = new TenantLimits({ perMinute: 60 });
  onTestFinished(cluster.shareTenants(tenants));
  const read = figures({ cluster, tenants });
  expect(await read("vitrine_tenants")).toBe(0);
  for (let n = 0; n < 40; n++) for (const name of ["acme", "umbrella"]) tenants.take(name);
  expect(await read("vitrine_tenants")).toBe(2);
  expect(await read("vitrine_tenant_share")).toBeGreaterThan(0.4);
  expect(await read("vitrine_tenant_share")).toBeLessThanOrEqual(1);
  expect(await read("vitrine_tenant_refusals_total")).toBeGreaterThan(40);
  expect(await opened.at(-1)?.text()).not.toMatch(/acme|umbrella/);
});
