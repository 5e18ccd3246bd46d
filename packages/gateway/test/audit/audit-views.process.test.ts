import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { AUDIT_VIEWS } from "../../src/audit/audit-views.ts";
import { createAudit, HEADS_BUCKET, verifyAudit } from "../../src/audit/index.ts";
import { testFolder } from "../engine/children/child.ts";
import { changeDatabase } from "../engine/stored-database.ts";

const KEYS = [{ id: "a1", secret: new Uint8Array(32).fill(5) }];

/** A log of three steps with four records each. */
async function recorded(): Promise<{ folder: string; engine: Engine }> {
  const folder = await testFolder();
  const engine = await openSqliteEngine({ folder, views: AUDIT_VIEWS });
  const audit = await createAudit({ engine, node: "n1", keys: KEYS });
  for (let n = 0; n < 12; n++) {
    audit.record({
      event: "request",
      actor: { tenant: "acme", user: n % 3 === 0 ? "mallory" : "ann" },
      server: "bank",
      method: "tools/call",
      tool: `tool ${n}`,
      decision:
        n % 3 === 0 ? { verdict: "deny", link: "consent", code: "denied" } : { verdict: "allow" },
    });
    if (n % 4 === 3) await audit.flushed();
  }
  await audit.close();
  return { folder, engine };
}

function query(folder: string, sql: string): unknown[] {
  const database = new DatabaseSync(join(folder, "gateway.db"), { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

async function kindsFound(engine: Engine): Promise<string[]> {
  const heads = engine.kv(HEADS_BUCKET);
  const { findings } = await verifyAudit({ log: engine.log, heads, keys: KEYS });
  return [...new Set(findings.map(({ kind }) => kind))].sort();
}

test("records and steps can be queried with SQL while the gateway runs", async () => {
  const { folder, engine } = await recorded();
  const denied = "SELECT user, count(*) AS denials FROM audit WHERE verdict = 'deny' GROUP BY user";
  expect(query(folder, denied)).toEqual([{ user: "mallory", denials: 4 }]);
  expect(
    query(folder, "SELECT sequence, tool, node FROM audit WHERE code = 'denied' LIMIT 1"),
  ).toEqual([{ sequence: 1, tool: "tool 0", node: "n1" }]);
  expect(query(folder, "SELECT count(*) AS records FROM audit")).toEqual([{ records: 12 }]);
  // Each step names the hash of the one before it.
  const steps = query(folder, "SELECT * FROM audit_steps ORDER BY step") as {
    hash: string;
    previous_hash: string;
  }[];
  expect(steps.length).toBeGreaterThan(3);
  for (const [at, { previous_hash }] of steps.entries()) {
    expect(previous_hash).toBe(steps[at - 1]?.hash ?? "0".repeat(64));
  }
  expect(await kindsFound(engine)).toEqual([]);
  await engine.close();
});

const OF_STEP = "partition = 'audit' AND place = 3";
test.for([
  [
    "an edited record",
    `UPDATE log SET text = replace(text, 'ann', 'bob') WHERE ${OF_STEP}`,
    "changed",
  ],
  ["a deleted record", `DELETE FROM log WHERE ${OF_STEP} AND line = 2`, "missing"],
  [
    "an added record",
    `INSERT INTO log SELECT partition, place, 99, text FROM log WHERE ${OF_STEP} AND line = 2`,
    "changed",
  ],
  [
    "a record at a place of its own",
    `INSERT INTO log SELECT partition, 99, 1, text FROM log WHERE ${OF_STEP} AND line = 2`,
    "malformed",
  ],
  [
    "records in another order",
    `UPDATE log SET line = -line WHERE ${OF_STEP} AND line IN (1, 2); UPDATE log SET line = 3 + line WHERE ${OF_STEP} AND line < 0`,
    "moved",
  ],
  ["a deleted step", `DELETE FROM log WHERE ${OF_STEP}`, "missing"],
  ["a deleted end", "DELETE FROM log WHERE partition = 'audit' AND place >= 4", "missing"],
  ["steps in another order", `UPDATE log SET place = 1000 WHERE ${OF_STEP}`, "moved"],
] as const)("verification reports %s", async ([, sql, kind]) => {
  const { folder, engine } = await recorded();
  changeDatabase(folder, sql);
  expect(await kindsFound(engine)).toContain(kind);
  await engine.close();
});
