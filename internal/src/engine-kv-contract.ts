import type { Change, Kv } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { compareWithModel } from "./engine-kv-model.ts";
import { bytesOf, codeOf, fresh, textOf, until, type WithEngine } from "./engine-trial.ts";

const TTL = 1_000;

async function keysOf(kv: Kv, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of kv.keys(prefix)) keys.push(key);
  return keys.sort();
}

/** The events of a watcher, as text. */
function recorder(): { changes: Change[]; words: () => string[]; fn: (change: Change) => void } {
  const changes: Change[] = [];
  return {
    changes,
    fn: (change) => changes.push(change),
    words: () =>
      changes.map(({ key, entry, reason }) => `${reason} ${key} ${textOf(entry?.value) ?? "-"}`),
  };
}

export function testKv(withEngine: WithEngine): void {
  test(
    "a value that one puts is read by the other, with the same revision",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const revision = await engine.kv(bucket).put("a.b", bytesOf("1"));
      const entry = await peer.kv(bucket).get("a.b");
      expect([entry?.key, textOf(entry?.value), entry?.revision]).toEqual(["a.b", "1", revision]);
      expect(await peer.kv(bucket).get("a")).toBeUndefined();
      expect((await engine.kv(bucket).put("empty", new Uint8Array())) > revision).toBe(true);
      expect((await peer.kv(bucket).get("empty"))?.value.length).toBe(0);
    }),
  );

  test(
    "of many who create one key, one does",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          codeOf((n % 2 ? engine : peer).kv(bucket).create("lease", bytesOf(String(n)))),
        ),
      );
      expect(codes.filter((code) => code === "it succeeded")).toHaveLength(1);
      expect(codes.filter((code) => code === "exists")).toHaveLength(19);
    }),
  );

  test(
    "of many who update from one revision, one does (G146)",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const revision = await engine.kv(bucket).put("n", bytesOf("0"));
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          codeOf((n % 2 ? engine : peer).kv(bucket).update("n", bytesOf(String(n)), revision)),
        ),
      );
      expect(codes.filter((code) => code === "it succeeded")).toHaveLength(1);
      expect(codes.filter((code) => code === "conflict")).toHaveLength(19);
      expect(await codeOf(engine.kv(bucket).update("never", bytesOf(""), 1))).toBe("conflict");
    }),
  );

  test(
    "of many who delete one revision, one does, and the other revision stays (G146)",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const old = await engine.kv(bucket).put("once", bytesOf("1"));
      const revision = await engine.kv(bucket).put("once", bytesOf("2"));
      expect(await codeOf(peer.kv(bucket).delete("once", old))).toBe("conflict");
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          codeOf((n % 2 ? engine : peer).kv(bucket).delete("once", revision)),
        ),
      );
      expect(codes.filter((code) => code === "it succeeded")).toHaveLength(1);
      expect(codes.filter((code) => code === "conflict")).toHaveLength(19);
      expect(await engine.kv(bucket).get("once")).toBeUndefined();
      expect(await codeOf(engine.kv(bucket).delete("once"))).toBe("it succeeded");
    }),
  );

  test(
    "revisions rise over the whole bucket, across keys and deletion: they fence",
    withEngine(async ({ engine }) => {
      const kv = engine.kv(fresh("bucket"));
      const given: number[] = [];
      for (let n = 0; n < 5; n++) {
        given.push(await kv.create("lease", bytesOf("a")));
        given.push(await kv.put("other", bytesOf("b")));
        await kv.delete("lease");
      }
      const rising = [...new Set(given)].sort((a, b) => a - b);
      expect(given).toEqual(rising);
    }),
  );

  test(
    "keys are listed by how they begin, the deleted ones not",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const kv = engine.kv(bucket);
      for (const key of ["u1.a", "u1.b", "u10.a", "u2.a"]) await kv.put(key, bytesOf(key));
      await kv.delete("u1.b");
      const all = peer.kv(bucket);
      await until(async () => (await keysOf(all)).length === 3);
      expect(await keysOf(all)).toEqual(["u1.a", "u10.a", "u2.a"]);
      expect(await keysOf(all, "u1.")).toEqual(["u1.a"]);
      expect(await keysOf(all, "u1")).toEqual(["u1.a", "u10.a"]);
      expect(await keysOf(all, "u3")).toEqual([]);
    }),
  );

  test(
    "a watcher receives the current entries, then ready, then each change, never inside its own call",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const kv = engine.kv(bucket);
      await kv.put("a.1", bytesOf("old"));
      await kv.put("b.1", bytesOf("old"));
      const all = recorder();
      const later = recorder();
      const readyAt: number[] = [];
      const stops = [
        peer.kv(bucket).watch(all.fn, { onReady: () => readyAt.push(all.changes.length) }),
        peer.kv(bucket).watch(later.fn, { fromNow: true, onReady: () => readyAt.push(0) }),
      ];
      expect(all.changes).toEqual([]);
      await until(() => readyAt.length === 2);
      expect(readyAt.sort()).toEqual([0, 2]);
      const revision = await kv.put("a.2", bytesOf("new"));
      await kv.delete("b.1");
      await kv.put("b.2", bytesOf("end"));
      await until(() => all.words().at(-1) === "put b.2 end");
      await until(() => later.words().at(-1) === "put b.2 end");
      const changes = ["put a.2 new", "deleted b.1 -", "put b.2 end"];
      expect(all.words()).toEqual(["put a.1 old", "put b.1 old", ...changes]);
      expect(later.words()).toEqual(changes);
      expect(all.changes[2]?.entry?.revision).toBe(revision);
      for (const stop of stops) stop();
      const received = all.changes.length;
      await kv.put("a.3", bytesOf("late"));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(all.changes).toHaveLength(received);
    }),
  );

  test(
    "a key expires after its bucket's time, and a write restarts that time",
    withEngine(async ({ engine, peer }) => {
      const bucket = fresh("bucket");
      const kv = engine.kv(bucket, { ttl: TTL });
      const received = recorder();
      const stop = peer.kv(bucket).watch(received.fn);
      const revision = await kv.create("node", bytesOf("1"));
      const first = Date.now();
      expect(await codeOf(peer.kv(bucket).create("node", bytesOf("2")))).toBe("exists");
      await new Promise((resolve) => setTimeout(resolve, TTL * 0.6));
      const renewed = await kv.update("node", bytesOf("1"), revision);
      await new Promise((resolve) => setTimeout(resolve, TTL * 0.6));
      // A machine that slept through all of it proves nothing.
      if (Date.now() - first < TTL * 1.5) {
        expect((await peer.kv(bucket).get("node"))?.revision).toBe(renewed);
      }
      await until(async () => (await peer.kv(bucket).get("node")) === undefined);
      expect(await keysOf(kv)).toEqual([]);
      expect(await codeOf(kv.update("node", bytesOf("1"), renewed))).toBe("conflict");
      await until(() => received.words().includes("expired node -"));
      expect(await kv.create("node", bytesOf("2"))).toBeGreaterThan(renewed);
      stop();
    }),
  );

  test(
    "what the caller does to his bytes afterwards changes nothing",
    withEngine(async ({ engine }) => {
      const kv = engine.kv(fresh("bucket"));
      const value = Buffer.from("as put");
      const putting = kv.put("a", value);
      value.fill(120);
      await putting;
      (await kv.get("a"))?.value.fill(120);
      expect(textOf((await kv.get("a"))?.value)).toBe("as put");
    }),
  );

  test(
    "a bucket has one set of options, and names are those a broker takes",
    withEngine(async ({ engine }) => {
      const bucket = fresh("bucket");
      const kv = engine.kv(bucket, { ttl: 60_000, durable: true });
      await kv.put("a", bytesOf("1"));
      expect(textOf((await engine.kv(bucket).get("a"))?.value)).toBe("1");
      expect(await codeOf(() => engine.kv(bucket, { ttl: 1_000 }).get("a"))).toBe("invalid");
      expect(await codeOf(() => engine.kv(fresh("bucket"), { ttl: 0 }).get("a"))).toBe("invalid");
      for (const name of ["", "A", "a.b", "..", "a/b", "-a", "a".repeat(65)]) {
        expect([name, await codeOf(() => engine.kv(name).get("a"))]).toContain("invalid");
      }
      for (const key of ["", "a..b", ".a", "a.", "a/b", "a b", "ä", "*", ">", "a".repeat(257)]) {
        expect([key, await codeOf(kv.get(key))]).toContain("invalid");
        expect([key, await codeOf(kv.put(key, bytesOf("")))]).toContain("invalid");
      }
      expect(await codeOf(kv.put("A_z=9-.x", bytesOf("")))).toBe("it succeeded");
      const large = new Uint8Array(engine.caps.maxBytes + 1);
      expect(await codeOf(kv.put("large", large))).toBe("too-large");
      expect(await kv.get("large")).toBeUndefined();
    }),
  );

  test(
    "after a restart durable buckets are as they were, others empty, and all revisions go on rising",
    withEngine(async ({ engine, reopen }) => {
      if (!reopen) return;
      const [kept, lost] = [fresh("kept"), fresh("lost")];
      const durable = engine.kv(kept, { durable: true });
      const passing = engine.kv(lost);
      await durable.put("a", bytesOf("1"));
      await durable.put("b", bytesOf("2"));
      const before = await durable.put("a", bytesOf("3"));
      await durable.delete("b");
      const fence = await passing.create("lease", bytesOf("x"));
      const again = await reopen();
      try {
        const entry = await again.kv(kept).get("a");
        expect([textOf(entry?.value), entry?.revision]).toEqual(["3", before]);
        expect(await keysOf(again.kv(kept))).toEqual(["a"]);
        expect(await again.kv(kept).put("c", bytesOf("4"))).toBeGreaterThan(before + 1);
        // What others share goes on while one of them is away.
        if (!again.caps.shared) expect(await again.kv(lost).get("lease")).toBeUndefined();
        expect(await again.kv(lost).put("lease", bytesOf("y"))).toBeGreaterThan(fence);
      } finally {
        await again.close();
      }
    }),
  );

  test(
    "whatever is done in whatever order, it answers as a table with revisions would",
    withEngine((trial) => compareWithModel(trial)),
  );
}
