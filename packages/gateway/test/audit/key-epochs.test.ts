// The audit key is rotated: each step names its key, the first step of the next run names the last one of the run
// before, and everything still verifies (O6).

import { describe, expect, test } from "vitest";
import { HEADS_BUCKET } from "../../src/audit/chain-writer.ts";
import { type ChainKey, createAudit, verifyAudit } from "../../src/audit/index.ts";
import { keyedHash } from "../../src/crypto/keyed-hash.ts";
import { createMemoryEngine, type Engine } from "../../src/engine/index.ts";

const key = (id: string, fill: number): ChainKey => ({
  id,
  secret: new Uint8Array(32).fill(fill),
});
const OLD = key("k-old", 1);
const NEW = key("k-new", 2);
const BUCKET = { durable: true };

async function run(engine: Engine, keys: readonly ChainKey[], count = 3): Promise<string[]> {
  const audit = await createAudit({ engine, node: "n1", keys });
  const anchors = [audit.anchor()];
  for (let n = 0; n < count; n++) audit.record({ event: "operator", detail: { n } });
  await audit.flushed();
  anchors.push(audit.anchor());
  await audit.close();
  return [...anchors, audit.anchor()];
}

const verify = (engine: Engine, keys: readonly ChainKey[], anchor?: readonly string[]) =>
  verifyAudit({
    ...{ log: engine.log, heads: engine.kv(HEADS_BUCKET, BUCKET), keys },
    ...(anchor && { anchor }),
  });

async function stepsOf(engine: Engine): Promise<string[]> {
  const steps: string[] = [];
  for await (const { record } of engine.log.read("audit"))
    steps.push(Buffer.from(record).toString());
  return steps;
}

describe("a log with a rotated key (O6)", () => {
  test("verifies with both keys, and reports the steps of each", async () => {
    const engine = createMemoryEngine();
    const anchors = [...(await run(engine, [OLD])), ...(await run(engine, [NEW, OLD]))];
    const found = await verify(engine, [NEW, OLD], anchors);
    expect(found).toMatchObject({ ok: true, records: 6, gaps: [] });
    expect(found.keys.map(({ id, steps }) => [id, steps > 1])).toEqual([
      ["k-old", true],
      ["k-new", true],
    ]);
    const first = (await stepsOf(engine)).find((step) => step.includes('"key":"k-new"')) ?? "";
    const { follows, log } = JSON.parse(first.split("\n")[0] ?? "");
    expect(follows).toMatchObject({ key: "k-old", hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(log).toMatch(/^[0-9a-f]{16}$/);
  });

  test("names a key that is missing, once for each run", async () => {
    const engine = createMemoryEngine();
    const anchors = await run(engine, [OLD]);
    await run(engine, [NEW, OLD]);
    const { findings } = await verify(engine, [NEW], anchors);
    const texts = findings.map(({ text }) => text);
    const naming = texts.filter((text) => text.includes("made with the key k-old, which isn't"));
    // One for the run, and one for each line of the anchor.
    expect(naming).toHaveLength(1 + anchors.length);
    expect(texts.join()).not.toContain("its hash differs");
  });

  test("doesn't verify after a record was changed by someone without the keys", async () => {
    const engine = createMemoryEngine();
    await run(engine, [OLD]);
    await run(engine, [NEW, OLD]);
    const forged = createMemoryEngine();
    for (const step of await stepsOf(engine)) {
      await forged.log.append("audit", [Buffer.from(step.replace('"n":1', '"n":7'))]);
    }
    const { findings } = await verifyAudit({ log: forged.log, keys: [NEW, OLD] });
    expect(findings.filter(({ kind }) => kind === "changed").length).toBeGreaterThan(0);
  });

  test("continues the records of version 0.1, which don't name a key", async () => {
    const engine = createMemoryEngine();
    await run(engine, [OLD]);
    const former = createMemoryEngine();
    let prev = "0".repeat(64);
    for (const step of await stepsOf(engine)) {
      const [head = "", ...lines] = step.split("\n").slice(0, -2);
      const { audit, key: _key, log: _log, ...rest } = JSON.parse(head);
      const body = `${[JSON.stringify({ audit, ...rest, prev }), ...lines].join("\n")}\n`;
      prev = keyedHash(Buffer.from(body), OLD.secret);
      await former.log.append("audit", [Buffer.from(`${body}end ${prev}\n`)]);
    }
    // The run above was the first one of this engine.
    await former.kv("audit-epochs", BUCKET).put("n1", new Uint8Array());
    await run(former, [NEW, OLD]);
    const found = await verifyAudit({ log: former.log, keys: [NEW, OLD] });
    expect(found).toMatchObject({ ok: true, records: 6 });
    expect(found.keys.map(({ id }) => id)).toEqual(["k-old", "k-new"]);
  });

  test("finds the runs and heads of another log", async () => {
    const engine = createMemoryEngine();
    const other = createMemoryEngine();
    await run(engine, [OLD]);
    const foreign = await run(other, [OLD]);
    expect((await verify(engine, [OLD], foreign)).findings.map(({ text }) => text).join()).toMatch(
      /belongs to the log [0-9a-f]{16}, not to [0-9a-f]{16}/,
    );
    for (const step of await stepsOf(other)) await engine.log.append("audit", [Buffer.from(step)]);
    const { findings } = await verifyAudit({ log: engine.log, keys: [OLD] });
    expect(findings.map(({ text }) => text).join()).toContain("but earlier runs to");
  });
});
