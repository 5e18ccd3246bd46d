import { type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { commandOf, startChild, testFolder } from "./children/child.ts";

const writer = new URL("./children/writer.ts", import.meta.url);

const KILLS = 30;

/** The acknowledged writes of the killed processes. */
class Acknowledged {
  readonly batches = new Set<string>();
  readonly blobs = new Set<string>();
  /** The last number put under each key. */
  readonly numbers = new Map<string, number>();
  revision = 0;

  note(line: string): void {
    const [kind, what = "", given] = line.split(" ");
    if (kind === "log") this.batches.add(what);
    if (kind === "blob") this.blobs.add(what);
    if (kind !== "kv") return;
    this.numbers.set(`key-${Number(what) % 5}`, Number(what));
    expect(Number(given)).toBeGreaterThan(this.revision);
    this.revision = Number(given);
  }

  get last(): number {
    return Math.max(...[...this.batches].map((id) => Number(id.split(".")[1])));
  }
}

async function expectAll({ batches, blobs, numbers }: Acknowledged, engine: Engine): Promise<void> {
  const seen: string[] = [];
  for await (const { record } of engine.log.read("audit")) {
    seen.push(Buffer.from(record).toString().split(" ")[0] ?? "");
  }
  const there = new Set(seen);
  expect(there.size).toBe(seen.length);
  const lost = [...batches].filter((id) => !there.has(`${id}.a`) || !there.has(`${id}.b`));
  expect(lost).toEqual([]);
  for (const hash of blobs) expect(await engine.blob.has(hash)).toBe(true);
  for (const [key, least] of numbers) {
    const value = Buffer.from((await engine.kv("grants").get(key))?.value ?? []).toString();
    // A later write that wasn't acknowledged may exist; an earlier acknowledged one must.
    expect(Number.parseInt(value, 10)).toBeGreaterThanOrEqual(least);
  }
}

test(`${KILLS} kills in the middle of writing: what was acknowledged is there, and there once`, {
  timeout: 180_000,
}, async () => {
  const folder = await testFolder();
  const acknowledged = new Acknowledged();
  const notices: string[] = [];
  let start = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // Repeats some of the last writes under the same ids, like a caller that didn't get the response.
    const child = startChild(commandOf(writer, folder, String(Math.max(0, start - 3))));
    await child.said("log ");
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 60));
    child.process.kill("SIGKILL");
    expect(await child.ended).toBe("SIGKILL");
    for (const line of child.lines) acknowledged.note(line);
    const engine = await openSqliteEngine({ folder, onNotice: ({ kind }) => notices.push(kind) });
    await expectAll(acknowledged, engine);
    await engine.close();
    start = acknowledged.last;
  }
  expect(acknowledged.batches.size).toBeGreaterThan(KILLS);
  // Each killed process is still the owner in the database, and the next one takes over.
  expect(notices.filter((kind) => kind === "taken-over")).toHaveLength(KILLS);
});
