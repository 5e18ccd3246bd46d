// Searches of the audit log by time, tenant and user, page by page, on every kind of log (O12).

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "@vitrine/gateway/engine";
import { createMemoryEngine, openSqliteEngine } from "@vitrine/gateway/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openArchiveReader } from "../../src/audit/archive/index.ts";
import { createAudit, type ReadRecord } from "../../src/audit/index.ts";
import { type AuditQueryOptions, queryAudit, readTime } from "../../src/audit/query.ts";
import { openArchiver } from "./archive-stage.ts";

const COUNT = 300;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-query-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Records of two tenants whose users have the same names, and a few denials. */
async function fill(engine: Engine, perStep = 7): Promise<void> {
  const audit = await createAudit({ engine, node: "n1" });
  for (let n = 0; n < COUNT; n++) {
    const tenant = n % 2 === 0 ? "acme" : "globex";
    audit.record({
      event: "request",
      actor: { tenant, user: n % 3 === 0 ? "alice" : "bob" },
      server: "weather",
      tool: `tool-${n}`,
      decision: n % 30 === 0 ? { verdict: "deny", code: `c${n}` } : { verdict: "allow" },
    });
    if (n % perStep === 0) await audit.flushed();
  }
  await audit.close();
}

async function all(options: AuditQueryOptions): Promise<ReadRecord[]> {
  const found: ReadRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await queryAudit({ ...options, cursor });
    expect(page.items.length).toBeLessThanOrEqual(options.limit ?? 100);
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

const numbers = (records: readonly ReadRecord[]): number[] =>
  records.map(({ tool }) => Number(tool?.slice(5)));
const upTo = (where: (n: number) => boolean): number[] =>
  Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n).filter(where);

async function logs(): Promise<[string, Engine["log"] | { read: unknown; bounds: unknown }][]> {
  const memory = createMemoryEngine();
  await fill(memory);
  const sqlite = await openSqliteEngine({ folder: join(folder, "engine") });
  await fill(sqlite);
  const { archiver } = await openArchiver(memory, join(folder, "archive"));
  await archiver.close();
  const { log } = await openArchiveReader(join(folder, "archive"));
  return [
    ["memory", memory.log],
    ["sqlite", sqlite.log],
    ["an archive", log],
  ];
}

describe("finds records newest first", () => {
  test("in memory, in a database and in an archive", { timeout: 60_000 }, async () => {
    for (const [name, given] of await logs()) {
      const log = given as AuditQueryOptions["log"];
      expect(numbers(await all({ log, limit: 7 })), name).toEqual(upTo(() => true));
      expect(numbers(await all({ log, tenant: "acme" })), name).toEqual(upTo((n) => n % 2 === 0));
      // A user of another tenant with the same name isn't found (O12).
      const alice = numbers(await all({ log, user: "acme/alice", limit: 3 }));
      expect(alice, name).toEqual(upTo((n) => n % 6 === 0));
      expect(numbers(await all({ log, user: "alice", verdict: "deny" })), name).toEqual(
        upTo((n) => n % 30 === 0),
      );
      const [newest] = (await queryAudit({ log, limit: 1 })).items;
      const after = Date.parse(`${newest?.time}`) + 1;
      expect(await all({ log, since: after }), name).toEqual([]);
      expect(await all({ log, until: after }), name).toHaveLength(COUNT);
    }
  });
});

test("does a bounded amount of work for a page, and continues where it stopped", async () => {
  const engine = createMemoryEngine();
  await fill(engine, 1);
  let read = 0;
  const log: AuditQueryOptions["log"] = {
    bounds: (partition) => engine.log.bounds(partition),
    read: async function* (partition, from) {
      for await (const record of engine.log.read(partition, from)) {
        read += record.record.length;
        yield record;
      }
    },
  };
  const options = { log, tool: "tool-3", workBytes: 4_096 };
  const page = await queryAudit(options);
  expect(page.items).toEqual([]);
  expect(page.next).toBeDefined();
  const first = read;
  expect(numbers(await all(options))).toEqual([3]);
  expect(read).toBeGreaterThan(2 * first);
});

test("stops at records that are much older than the search", async () => {
  const step = (time: string, n: number): Uint8Array =>
    Buffer.from(
      `{"audit":1,"node":"n1","epoch":1,"step":${n},"first":${n},"count":1,"time":"${time}","prev":""}\n` +
        `00000000 {"sequence":${n},"time":"${time}","event":"request","tool":"tool-${n}"}\nend \n`,
    );
  const engine = createMemoryEngine();
  for (let n = 0; n < 12_000; n++) {
    const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    await engine.log.append("audit", [step(time, n)]);
  }
  let least = Number.POSITIVE_INFINITY;
  const log: AuditQueryOptions["log"] = {
    bounds: (partition) => engine.log.bounds(partition),
    read: (partition, from = 0) => {
      least = Math.min(least, from);
      return engine.log.read(partition, from);
    },
  };
  const found = await all({ log, since: Date.UTC(2026, 0, 1) + 11_990_000 });
  expect(numbers(found)).toEqual([...Array(10).keys()].map((n) => 11_999 - n));
  expect(least).toBeGreaterThan(1);
});

test("rejects a cursor that it didn't make", async () => {
  const engine = createMemoryEngine();
  await fill(engine);
  await expect(queryAudit({ log: engine.log, cursor: "../1" })).rejects.toThrow(RangeError);
});

test("reads times as people write them", () => {
  const now = Date.UTC(2026, 2, 1, 12);
  expect(readTime("2h", now)).toBe(Date.UTC(2026, 2, 1, 10));
  expect(readTime("7d", now)).toBe(Date.UTC(2026, 1, 22, 12));
  expect(readTime("2026-03-01T11:30:00Z", now)).toBe(Date.UTC(2026, 2, 1, 11, 30));
  for (const text of ["yesterday", "May 1", "2x", "", "1e3s"]) {
    expect(readTime(text, now), text).toBeUndefined();
  }
});
