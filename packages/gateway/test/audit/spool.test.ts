import {
  type Appended,
  createMemoryEngine,
  type Engine,
  EngineError,
  type Log,
} from "@vitrine/gateway/engine";
import { expect, test, vi } from "vitest";
import {
  type AuditEntry,
  type AuditOptions,
  createAudit,
  type ReadRecord,
  readAudit,
  verifyAudit,
} from "../../src/audit/index.ts";

const request = (n: number): AuditEntry => ({
  event: "request",
  actor: { tenant: "t", user: "u" },
  server: "weather",
  method: "tools/call",
  tool: `tool-${n}`,
  decision: { verdict: "allow" },
  arguments: { n, text: "x".repeat(100) },
});

/** An engine whose log is controlled by the test. */
function engineWith(
  append: (real: Log, ...args: Parameters<Log["append"]>) => Promise<Appended>,
): Engine {
  const engine = createMemoryEngine();
  const { log } = engine;
  const wrapped: Log = {
    append: (...args) => append(log, ...args),
    read: (...args) => log.read(...args),
    bounds: (name) => log.bounds(name),
    trim: (...args) => log.trim(...args),
  };
  return { ...engine, log: wrapped };
}

async function toolsOf(engine: Engine): Promise<(string | undefined)[]> {
  const tools: (string | undefined)[] = [];
  for await (const { tool } of readAudit({ log: engine.log })) tools.push(tool);
  return tools;
}

const verify = (engine: Engine) =>
  verifyAudit({ log: engine.log, heads: engine.kv("audit-heads", { durable: true }) });

const full = (): never => {
  throw new EngineError("full", "No room.");
};

test("stores records in batches, complete and in order", async () => {
  let appends = 0;
  const engine = engineWith((log, ...args) => {
    appends += 1;
    return log.append(...args);
  });
  const audit = await createAudit({ engine, node: "n1" });
  for (let n = 0; n < 1_000; n++) {
    audit.record(request(n));
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await audit.flushed();
  expect(audit.state).toMatchObject({
    status: "ok",
    recorded: 1_000,
    stored: 1_000,
    waitingBytes: 0,
  });
  // About 300 KB, in steps of 64 KiB.
  expect(appends).toBeLessThan(12);
  await audit.close();
  expect(await toolsOf(engine)).toEqual(Array.from({ length: 1_000 }, (_, n) => `tool-${n}`));
  expect(await verify(engine)).toMatchObject({ ok: true, records: 1_000, gaps: [] });
});

test("collects records that nobody waits for over ten milliseconds, even on a fast disk", async () => {
  let appends = 0;
  const engine = engineWith(async (log, ...args) => {
    appends += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return log.append(...args);
  });
  const audit = await createAudit({ engine, node: "n1" });
  const started = Date.now();
  // One a millisecond, never enough for a step of 64 KiB.
  for (let n = 0; n < 200; n++) {
    audit.record({ event: "request" });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const time = Date.now() - started;
  await audit.close();
  expect(appends).toBeLessThan(time / 10 + 5);
});

test("stores a record that nobody waits for within moments", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  audit.record(request(1));
  expect(audit.state.stored).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(audit.state.stored).toBe(1);
  await audit.close();
});

test("in the mode wait a call continues when its record is stored, and many share a step", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1", mode: "wait" });
  await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      audit.record(request(n));
      const mine = audit.state.recorded;
      await audit.hold();
      expect(audit.state.stored).toBeGreaterThanOrEqual(mine);
    }),
  );
  expect((await engine.log.bounds("audit"))?.last).toBeLessThan(5);
  await audit.close();
});

test("stores records that come during a batch after it", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let appends = 0;
  const engine = engineWith(async (log, ...args) => {
    appends += 1;
    if (appends === 2) await gate;
    return log.append(...args);
  });
  const audit = await createAudit({ engine, node: "n1" });
  audit.record(request(1));
  const first = audit.flushed();
  await new Promise((resolve) => setTimeout(resolve, 20));
  audit.record(request(2));
  const second = audit.flushed();
  release();
  await Promise.all([first, second]);
  expect(audit.state.stored).toBe(2);
  await audit.close();
});

test("a lost acknowledgement doesn't duplicate a batch, even if its id is forgotten", async () => {
  for (const dedupeTime of [60_000, 1]) {
    let appends = 0;
    const engine = engineWith(async (log, partition, batch, options) => {
      appends += 1;
      // Without ids, as when the engine has forgotten them.
      const stored = await log.append(partition, batch, dedupeTime > 1 ? options : {});
      if (appends === 2) throw new EngineError("timeout", "No answer.");
      return stored;
    });
    const audit = await createAudit({
      engine: { ...engine, caps: { ...engine.caps, dedupeTime } },
      node: "n1",
    });
    audit.record(request(1));
    await audit.flushed().catch(() => {});
    await audit.close();
    expect(await toolsOf(engine)).toEqual(["tool-1"]);
    expect((await verify(engine)).findings).toEqual([]);
  }
});

test("rejects a call that can't be recorded until there is space again", async () => {
  let isFull = false;
  const problems: (string | undefined)[] = [];
  const engine = engineWith((log, ...args) => (isFull ? full() : log.append(...args)));
  const audit = await createAudit({
    engine,
    node: "n1",
    onProblem: (error) => problems.push(error?.code),
  });
  isFull = true;
  audit.record(request(1));
  await expect(audit.flushed()).rejects.toMatchObject({ name: "AuditError", code: "full" });
  expect(audit.state.status).toBe("failing");
  expect(() => audit.record(request(2))).toThrow(/is full\. Free space or trim it/);
  await expect(audit.hold() ?? Promise.resolve("no wait")).resolves.toBe("no wait");
  // The end of a call that was let through, and a refusal, are recorded as soon as there is room.
  audit.record({ event: "answer", tool: "answer", outcome: { kind: "result" } });
  audit.record({
    event: "request",
    tool: "denied",
    decision: { verdict: "deny", code: "audit-full" },
  });
  isFull = false;
  await new Promise((resolve) => setTimeout(resolve, 300));
  await audit.flushed();
  audit.record(request(3));
  await audit.close();
  expect(await toolsOf(engine)).toEqual(["tool-1", "answer", "denied", "tool-3"]);
  expect(problems).toEqual(["full", undefined]);
  expect(await verify(engine)).toMatchObject({ ok: true, gaps: [] });
});

test("in the mode wait a call that can't be recorded is rejected before it continues", async () => {
  let isFull = false;
  const engine = engineWith((log, ...args) => (isFull ? full() : log.append(...args)));
  const audit = await createAudit({ engine, node: "n1", mode: "wait" });
  isFull = true;
  audit.record(request(1));
  await expect(audit.hold()).rejects.toMatchObject({ code: "full" });
  isFull = false;
  await audit.close();
});

test("with drop-bodies calls continue: first without bodies, then without records, which are counted", async () => {
  let isFull = false;
  const engine = engineWith((log, ...args) => (isFull ? full() : log.append(...args)));
  const audit = await createAudit({
    ...{ engine, node: "n1", level: "full", onFull: "drop-bodies", maxQueueBytes: 20_000 },
    mode: "wait",
  } satisfies AuditOptions);
  audit.record(request(0));
  await audit.hold();
  isFull = true;
  audit.record(request(1));
  await audit.hold();
  for (let n = 2; n < 500; n++) audit.record(request(n));
  expect(audit.state.status).toBe("failing");
  expect(audit.state.dropped).toBeGreaterThan(300);
  expect(audit.state.waitingBytes).toBeLessThan(21_000);
  const { dropped } = audit.state;
  isFull = false;
  await new Promise((resolve) => setTimeout(resolve, 300));
  await audit.flushed();
  audit.record(request(500));
  await audit.close();
  const records: ReadRecord[] = [];
  for await (const record of readAudit({ log: engine.log })) records.push(record);
  expect(records[0]?.arguments).toEqual({ n: 0, text: "x".repeat(100) });
  expect(records[2]).toMatchObject({ tool: "tool-2", argumentsHash: expect.any(String) });
  expect(records[2]?.arguments).toBeUndefined();
  expect(records.at(-2)).toMatchObject({ event: "gap", detail: { dropped } });
  const result = await verify(engine);
  expect(result.ok).toBe(false);
  expect(result.findings).toMatchObject([{ kind: "dropped" }]);
  expect(result.findings[0]?.text).toMatch(new RegExp(`^${dropped} records were dropped from 20`));
});

test("when the disk is slow calls wait, memory stays bounded, and nothing is lost", async () => {
  const engine = engineWith(async (log, ...args) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return log.append(...args);
  });
  const audit = await createAudit({ engine, node: "n1", maxQueueBytes: 200_000 });
  let most = 0;
  let waits = 0;
  for (let n = 0; n < 3_000; n++) {
    audit.record(request(n));
    const pause = audit.hold({ tenant: "t", user: "u" });
    if (pause) {
      waits += 1;
      expect(audit.state.status).toBe("slow");
      await pause;
    }
    most = Math.max(most, audit.state.waitingBytes);
  }
  await audit.close();
  expect(waits).toBeGreaterThan(5);
  expect(most).toBeLessThan(60_000);
  expect(await verify(engine)).toMatchObject({ ok: true, records: 3_000 });
});

test("rejects records before the queue uses up memory, even if nobody waits", async () => {
  const engine = engineWith((log, ...args) =>
    args[1].length > 1 || args[1].some((step) => step.length > 500)
      ? new Promise(() => {})
      : log.append(...args),
  );
  const audit = await createAudit({ engine, node: "n1", maxQueueBytes: 100_000 });
  let taken = 0;
  const refused = (() => {
    try {
      for (; taken < 10_000; taken++) audit.record(request(taken));
      return undefined;
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toMatchObject({ name: "AuditError", code: "full" });
  // One user may use a fifth of the queue.
  expect(taken).toBeGreaterThan(50);
  expect(audit.state.waitingBytes).toBeLessThan(101_000);
});

test("stores later records after a flush that had nothing left to store", {
  timeout: 5_000,
}, async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1", mode: "wait" });
  for (let round = 0; round < 5; round++) {
    audit.record(request(round));
    // The second flush starts when the first has stored everything.
    await Promise.all([audit.flushed(), audit.flushed()]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await toolsOf(engine)).toHaveLength(5);
  await audit.close();
});

test("a closed log rejects records and reports what it couldn't store", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  audit.record(request(1));
  await audit.close();
  await audit.close();
  expect(() => audit.record(request(2))).toThrow(/closed/);
  expect(await verify(engine)).toMatchObject({ ok: true, chains: [{ ended: "in-order" }] });

  let isFull = false;
  const broken = engineWith((log, ...args) => (isFull ? full() : log.append(...args)));
  const losing = await createAudit({ engine: broken, node: "n1", closeTime: 200 });
  isFull = true;
  losing.record(request(1));
  await expect(losing.close()).rejects.toThrow(
    "1 audit records weren't stored before the shutdown",
  );
});

test("an invalid name or a full engine stops the start", async () => {
  const engine = createMemoryEngine();
  await expect(createAudit({ engine, node: "a.b" })).rejects.toMatchObject({ code: "invalid" });
  const broken = engineWith(() => full());
  await expect(createAudit({ engine: broken, node: "n1" })).rejects.toMatchObject({ code: "full" });
});

test("each run follows the previous one, and two runs of one name are distinguished", async () => {
  const engine = createMemoryEngine();
  for (let life = 0; life < 3; life++) {
    const audit = await createAudit({ engine, node: "n1" });
    audit.record(request(life));
    await audit.close();
  }
  const left = await createAudit({ engine, node: "n1" });
  const right = await createAudit({ engine, node: "n1" });
  for (const audit of [left, right, left]) {
    audit.record(request(9));
    await audit.flushed();
  }
  await left.close();
  await right.close();
  const result = await verify(engine);
  expect(result.findings).toEqual([]);
  expect(result.chains).toHaveLength(5);
  const [first = new Uint8Array(), second = new Uint8Array()] = await startsOf(engine);
  expect(JSON.parse(Buffer.from(first).toString().split("\n")[0] ?? "").follows).toBe(null);
  expect(JSON.parse(Buffer.from(second).toString().split("\n")[0] ?? "").follows).toMatchObject({
    epoch: 1,
    step: 3,
  });
});

async function startsOf(engine: Engine): Promise<Uint8Array[]> {
  const starts: Uint8Array[] = [];
  for await (const { record } of engine.log.read("audit")) {
    if (Buffer.from(record).toString().includes('"follows"')) starts.push(record);
  }
  return starts;
}

test("a record has the time at which it was made, to the millisecond", async () => {
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  const times = [0, 7, 7, 42, 999, 1_000, 60_123, 59_999, 1_001].map((n) => 1_700_000_000_000 + n);
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (const [n, time] of times.entries()) {
      vi.setSystemTime(time);
      audit.record(request(n));
    }
  } finally {
    vi.useRealTimers();
  }
  await audit.close();
  const found: string[] = [];
  for await (const { time } of readAudit({ log: engine.log })) found.push(time);
  expect(found).toEqual(times.map((time) => new Date(time).toISOString()));
});
