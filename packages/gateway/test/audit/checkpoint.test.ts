// An auditor compares a copy of the log with signed checkpoints, with the public key alone (O6).

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  checkCheckpoints,
  createAudit,
  publicKeysOf,
  readPublicKeys,
} from "../../src/audit/index.ts";
import { createMemoryEngine, type Engine } from "../../src/engine/index.ts";

const KEYS = [{ id: "k-1", secret: new Uint8Array(32).fill(4) }];

let steps: Uint8Array[];
let lines: string[];
let publicKeys: KeyObject[];

beforeAll(async () => {
  const engine = createMemoryEngine();
  lines = [];
  for (let run = 0; run < 2; run++) {
    const audit = await createAudit({ engine, node: "n1", keys: KEYS });
    for (let round = 0; round < 4; round++) {
      lines.push(audit.anchor());
      audit.record({ event: "operator", detail: { round } });
      await audit.flushed();
    }
    await audit.close();
    lines.push(audit.anchor());
  }
  steps = [];
  for await (const { record } of engine.log.read("audit")) steps.push(record);
  publicKeys = readPublicKeys(
    publicKeysOf(KEYS)
      .map((key) => key.export({ type: "spki", format: "pem" }))
      .join("# a comment\n"),
  );
});

async function logOf(parts: readonly Uint8Array[]): Promise<Engine["log"]> {
  const { log } = createMemoryEngine();
  for (const part of parts) await log.append("audit", [part]);
  return log;
}

const check = async (parts: readonly Uint8Array[], given = lines, keys = publicKeys) =>
  checkCheckpoints({ log: await logOf(parts), lines: given, publicKeys: keys });

describe("checkpoints (O6)", () => {
  test("agree with the log that they were made of, and cover all of it", async () => {
    expect(await check(steps)).toEqual({
      ...{ ok: true, matches: lines.length, records: 8, covered: 8, problems: [] },
    });
  });

  test("notice a changed record although its hash in the log stays the same", async () => {
    for (const at of steps.keys()) {
      const changed = Buffer.from(`${Buffer.from(steps[at] as Uint8Array)}`.replace("2", "3"));
      const result = await check(steps.toSpliced(at, 1, changed));
      expect([at, result.ok]).toEqual([at, false]);
    }
  });

  test("notice a step that was removed, moved, repeated or cut off", async () => {
    const forgeries = [
      steps.toSpliced(2, 1),
      steps.toSpliced(1, 2, steps[2] as Uint8Array, steps[1] as Uint8Array),
      steps.toSpliced(1, 0, steps[1] as Uint8Array),
      steps.slice(0, -1),
      [],
    ];
    for (const forgery of forgeries) expect((await check(forgery)).ok).toBe(false);
  });

  test("count only when they were signed by the given key", async () => {
    const other = generateKeyPairSync("ed25519").publicKey;
    expect((await check(steps, lines, [other])).problems).toHaveLength(lines.length + 1);
    const forged = lines.map((line) => line.replace(/"step":\d+/, '"step":1'));
    expect((await check(steps, forged)).ok).toBe(false);
    expect((await check(steps, lines, [other, ...publicKeys])).ok).toBe(true);
  });

  test("report how many records came after the last of them", async () => {
    const result = await check(steps, lines.slice(0, 2));
    expect(result).toMatchObject({ ok: true, matches: 2, records: 8, covered: 1 });
  });
});
