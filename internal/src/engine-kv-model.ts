import type { Kv } from "@vitrine/gateway/engine";
import fc from "fast-check";
import { expect } from "vitest";
import { bytesOf, codeOf, fresh, type Trial, textOf } from "./engine-trial.ts";

interface Step {
  kind: "create" | "put" | "update" | "delete" | "get";
  key: string;
  text: string;
  /** Which of the revisions seen so far is compared with; nothing for the right one. */
  guess: number | undefined;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("create", "put", "update", "delete", "get"),
    key: fc.constantFrom("a", "b", "b.c"),
    text: fc.string({ maxLength: 4 }),
    guess: fc.option(fc.nat(8), { nil: undefined }),
  }),
  { maxLength: 25 },
);

/** A bucket as it should be. */
class Model {
  readonly entries = new Map<string, { text: string; revision: number }>();
  readonly seen: number[] = [0];

  /** The code a step should end with, and the revision it compares with. */
  expectation({ kind, key, guess }: Step): { code: string; revision: number | undefined } {
    const now = this.entries.get(key)?.revision;
    const revision = guess === undefined ? now : this.seen[guess % this.seen.length];
    if (kind === "create") return { code: now ? "exists" : "it succeeded", revision };
    const compares = kind === "update" || (kind === "delete" && revision !== undefined);
    const code = compares && (revision ?? 0) !== now ? "conflict" : "it succeeded";
    return { code, revision };
  }

  note({ kind, key, text }: Step, revision: number | undefined): void {
    if (kind === "delete") this.entries.delete(key);
    if (revision === undefined) return;
    expect(revision).toBeGreaterThan(Math.max(...this.seen));
    this.seen.push(revision);
    this.entries.set(key, { text, revision });
  }
}

async function run(kv: Kv, step: Step, revision: number | undefined): Promise<number | undefined> {
  const { kind, key, text } = step;
  const value = bytesOf(text);
  if (kind === "create") return kv.create(key, value);
  if (kind === "put") return kv.put(key, value);
  if (kind === "update") return kv.update(key, value, revision ?? 0);
  await kv.delete(key, revision);
  return undefined;
}

async function take(kv: Kv, step: Step, model: Model): Promise<void> {
  if (step.kind === "get") {
    const entry = await kv.get(step.key);
    const found = entry && { text: textOf(entry.value), revision: entry.revision };
    expect(found).toEqual(model.entries.get(step.key));
    return;
  }
  const { code, revision } = model.expectation(step);
  let given: number | undefined;
  const ended = await codeOf(async () => {
    given = await run(kv, step, revision);
  });
  expect(ended).toBe(code);
  if (code === "it succeeded") model.note(step, given);
}

/** Runs steps against a bucket and against what it should be. */
export async function compareWithModel({ engine, peer, reopen }: Trial): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (wanted) => {
      const bucket = fresh("model");
      const model = new Model();
      for (const [n, step] of wanted.entries()) {
        const kv = (n % 2 ? engine : peer).kv(bucket, { durable: reopen !== undefined });
        await take(kv, step, model);
      }
    }),
    { numRuns: 40 },
  );
}
