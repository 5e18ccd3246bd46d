import { createMemoryEngine, type Engine } from "@vitrine/gateway/engine";
import { describe, expect, test, vi } from "vitest";
import {
  type AuditEntry,
  AuditError,
  createAudit,
  type ReadRecord,
  readAudit,
} from "../../src/audit/index.ts";
import { auditRecorder } from "../../src/policy/audit-recorder.ts";
import { verifyCommand } from "../../src/service/audit-command.ts";
import { collect } from "../service/stage.ts";
import { openStage } from "../stage.ts";
import { gatedEngine } from "./gated-engine.ts";

const MALLORY = { tenant: "bravo", user: "mallory" };
const ALICE = { tenant: "acme", user: "alice" };

const call = (actor: AuditEntry["actor"], more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ event: "request", actor, server: "bank", method: "tools/call", tool: "pay" },
  decision: { verdict: "allow" },
  ...more,
});
const denial = (actor: AuditEntry["actor"], tool: string): AuditEntry =>
  call(actor, {
    tool,
    decision: { verdict: "deny", link: "visibility", code: "unknown-tool" },
    arguments: { text: "q".repeat(3_000) },
  });

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function verify(engine: Engine): Promise<{ ok: boolean; said: string }> {
  let said = "";
  const source = { log: engine.log, kv: engine.kv.bind(engine), close: async () => {} };
  const ok = await verifyCommand(source, (text) => {
    said += text;
  });
  return { ok, said };
}

describe("a flood of denials", () => {
  test("S7: refused calls are counted, and the first of each kind is recorded in full", async () => {
    const engine = createMemoryEngine();
    const audit = await createAudit({ engine, node: "n1", level: "full" });
    for (let n = 0; n < 30_000; n++) audit.record(denial(MALLORY, `nosuch${n}`));
    for (let n = 0; n < 500; n++) audit.record(denial(ALICE, "pay"));
    audit.record(call(ALICE));
    await audit.close();
    const records = await collect(readAudit({ log: engine.log }));
    const of = (user: string): ReadRecord[] => records.filter(({ actor }) => actor?.user === user);
    const repeats = (user: string): (number | undefined)[] =>
      of(user).flatMap((record) => (record.repeats ? [record.repeats.count] : []));
    expect(of("mallory").length).toBeLessThan(40);
    expect(of("mallory").filter(({ arguments: given }) => given).length).toBe(16);
    expect(repeats("mallory")).toEqual([30_000 - 16]);
    expect(of("alice")).toMatchObject([
      { event: "request", tool: "pay", decision: { verdict: "deny" } },
      { event: "request", decision: { verdict: "allow" } },
      {
        event: "denials",
        tool: "pay",
        decision: { code: "unknown-tool" },
        repeats: { count: 499 },
      },
    ]);
    const found = await verify(engine);
    expect(found.ok).toBe(true);
    expect(found.said).toContain(`${30_000 - 16 + 499} more denials are counted in some of them.`);
  });

  test("S7: counted denials are recorded when their window ends", async () => {
    const engine = createMemoryEngine();
    const audit = await createAudit({ engine, node: "n1", denialWindow: 200 });
    const stored = () => collect(readAudit({ log: engine.log }));
    for (let round = 1; round <= 2; round++) {
      for (let n = 0; n < 10; n++) audit.record(denial(MALLORY, "nosuch"));
      await vi.waitFor(async () => expect(await stored()).toHaveLength(2 * round));
    }
    const records = await stored();
    expect(records.map(({ event, repeats }) => [event, repeats?.count])).toEqual([
      ...[
        ["request", undefined],
        ["denials", 9],
      ],
      ...[
        ["request", undefined],
        ["denials", 9],
      ],
    ]);
    await audit.close();
  });

  test("S7: many users of a tenant can't fill the log with denials either", async () => {
    const engine = createMemoryEngine();
    const audit = await createAudit({ engine, node: "n1" });
    for (let n = 0; n < 20_000; n++) {
      audit.record(denial({ tenant: "bravo", user: `sybil-${n % 5_000}` }, `nosuch${n}`));
    }
    await audit.close();
    const records = await collect(readAudit({ log: engine.log }));
    expect(records.length).toBeLessThan(1_000);
    const counted = records.reduce((sum, { repeats }) => sum + (repeats?.count ?? 1), 0);
    expect(counted).toBe(20_000);
  });

  test("S7: a gateway under a flood of unknown tools records a few lines", async () => {
    const engine = createMemoryEngine();
    const audit = await createAudit({ engine, node: "n1" });
    const stage = await openStage({ recorder: auditRecorder(audit) });
    try {
      const post = (n: number) => stage.post("tools/call", { name: `nosuch${n}`, arguments: {} });
      for (let n = 0; n < 200; n += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, at) => post(n + at)));
      }
    } finally {
      await stage[Symbol.asyncDispose]();
      await audit.close();
    }
    const records = await collect(readAudit({ log: engine.log }));
    const denied = records.filter(({ decision }) => decision?.verdict === "deny");
    expect(denied.length).toBeLessThan(40);
    expect(denied.reduce((sum, { repeats }) => sum + (repeats?.count ?? 1), 0)).toBe(200);
  });
});

describe("a tenant that fills the queue", () => {
  test("S7: a neighbour's calls are recorded, none is refused, none of its records is dropped", async () => {
    const engine = gatedEngine(() => wait(20));
    const audit = await createAudit({ engine, node: "n1", level: "full", maxQueueBytes: 400_000 });
    let refused = 0;
    let ofAlice = 0;
    const big = { arguments: { text: "word ".repeat(500) } };
    for (let round = 0; round < 20; round++) {
      // Mallory's connections wait for nothing: as many calls and ends of calls as can be sent.
      for (let n = 0; n < 500; n++) {
        try {
          audit.record(call(MALLORY, big));
          audit.record(call(MALLORY, { event: "answer", decision: undefined, ...big }));
        } catch (error) {
          if (!(error instanceof AuditError)) throw error;
          refused += 1;
        }
      }
      audit.record(call(ALICE));
      audit.record(call(ALICE, { event: "answer", decision: undefined }));
      ofAlice += 2;
      // Neither does she wait for the disk because of him.
      expect(audit.hold(ALICE)).toBeUndefined();
      expect(audit.hold(MALLORY)).toBeInstanceOf(Promise);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBeGreaterThan(1_000);
    expect(audit.state.waitingBytes).toBeLessThan(2 * 400_000);
    await audit.flushed();
    await audit.close();
    const records = await collect(readAudit({ log: engine.log }));
    expect(records.filter(({ actor }) => actor?.user === "alice").length).toBe(ofAlice);
  });

  test("S7: one user doesn't take the room of another user of the tenant", async () => {
    const engine = gatedEngine(() => wait(20));
    const audit = await createAudit({ engine, node: "n1", maxQueueBytes: 100_000 });
    const fill = (): void => {
      for (let n = 0; n < 10_000; n++) audit.record(call(MALLORY));
    };
    expect(fill).toThrow(AuditError);
    expect(() => audit.record(call({ ...MALLORY, user: "bob" }))).not.toThrow();
    await audit.close();
  });
});

describe("audit verify", () => {
  test("S7: a log that dropped records doesn't verify as complete", async () => {
    let isFull = false;
    const engine = gatedEngine(async () => {
      if (isFull) throw new Error("No room.");
    });
    const options = { onFull: "drop-bodies", maxQueueBytes: 10_000 } as const;
    const audit = await createAudit({ engine, node: "n1", ...options });
    isFull = true;
    for (let n = 0; n < 1_000; n++) audit.record(call(MALLORY));
    const { dropped } = audit.state;
    expect(dropped).toBeGreaterThan(500);
    isFull = false;
    await wait(200);
    await audit.close();
    const { ok, said } = await verify(engine);
    expect(ok).toBe(false);
    expect(said).toContain(`WRONG   ${dropped} records were dropped`);
    expect(said).not.toContain("is complete and unmodified");
  });

  test("S7: a log with a gap that it reports itself isn't called complete", async () => {
    const engine = createMemoryEngine();
    const killed = await createAudit({ engine, node: "n1" });
    killed.record(call(ALICE));
    await killed.flushed();
    await (await createAudit({ engine, node: "n1" })).close();
    const { said } = await verify(engine);
    expect(said).toContain("ended without a last step");
    expect(said).not.toContain("is complete and unmodified");
  });
});
