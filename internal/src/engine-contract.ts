import { describe, expect, test } from "vitest";
import { testKv } from "./engine-kv-contract.ts";
import { testLog } from "./engine-log-contract.ts";
import {
  bytesOf,
  codeOf,
  fresh,
  type OpenEngine,
  opener,
  textOf,
  type WithEngine,
} from "./engine-trial.ts";

/** What every engine must do, whatever holds its state; `caps` say what else it promises. */
export function testEngine(name: string, open: () => Promise<OpenEngine> | OpenEngine): void {
  const withEngine = opener(open);

  describe(`${name} keeps the engine contract`, { timeout: 30_000 }, () => {
    describe("kv", () => testKv(withEngine));
    describe("log", () => testLog(withEngine));
    describe("blob", () => testBlob(withEngine));

    test(
      "closing twice is harmless, and afterwards every call fails with closed",
      withEngine(async ({ engine }) => {
        const kv = engine.kv(fresh("bucket"));
        await kv.put("a", bytesOf("1"));
        await engine.close();
        await engine.close();
        const { log, blob } = engine;
        const none = bytesOf("");
        const after: (() => unknown)[] = [
          () => kv.put("a", none),
          () => kv.create("b", none),
          () => kv.update("a", none, 1),
          () => kv.get("a"),
          () => kv.delete("a"),
          () => kv.keys()[Symbol.asyncIterator]().next(),
          () => kv.watch(() => {}),
          () => engine.kv("other"),
          () => log.append("p", [none]),
          () => log.read("p")[Symbol.asyncIterator]().next(),
          () => log.bounds("p"),
          () => log.trim("p", 1),
          () => blob.put(none),
          () => blob.get("0".repeat(64)),
          () => blob.has("0".repeat(64)),
          () => blob.delete("0".repeat(64)),
        ];
        for (const call of after) expect([String(call), await codeOf(call)]).toContain("closed");
      }),
    );
  });
}

function testBlob(withEngine: WithEngine): void {
  const page = bytesOf("<h1>hello</h1>");
  const sha256 = "bc22a1eb45c067a2b4ad4a7dd1fd8de1dcefa7ff5cca88ba17c4a8b8c9c6d9fe";

  test(
    "bytes are found by their SHA-256, from every process",
    withEngine(async ({ engine, peer }) => {
      const hash = await engine.blob.put(page);
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(textOf(await peer.blob.get(hash))).toBe("<h1>hello</h1>");
      expect(await peer.blob.has(hash)).toBe(true);
      expect(await engine.blob.put(page)).toBe(hash);
      const digest = await crypto.subtle.digest("SHA-256", page.slice());
      expect(hash).toBe(Buffer.from(digest).toString("hex"));
    }),
  );

  test(
    "a blob that was deleted is gone, and can be put again",
    withEngine(async ({ engine, peer }) => {
      const hash = await engine.blob.put(page);
      await peer.blob.delete(hash);
      expect(await engine.blob.has(hash)).toBe(false);
      expect(await engine.blob.get(hash)).toBeUndefined();
      await engine.blob.delete(hash);
      await engine.blob.put(page);
      expect(textOf(await peer.blob.get(hash))).toBe("<h1>hello</h1>");
    }),
  );

  test(
    "what was never put is not there",
    withEngine(async ({ engine }) => {
      expect(await engine.blob.get(sha256)).toBeUndefined();
      expect(await engine.blob.has(sha256)).toBe(false);
    }),
  );

  test(
    "a megabyte and no byte at all are blobs as well, put at once by many",
    withEngine(async ({ engine, peer }) => {
      const large = new Uint8Array(2 ** 20).map((_, place) => (place * 7919) % 251);
      const hashes = await Promise.all(
        [large, large, large].map((bytes) => engine.blob.put(bytes)),
      );
      expect(new Set(hashes).size).toBe(1);
      const got = await peer.blob.get(hashes[0] as string);
      expect(Buffer.compare(got as Uint8Array, large)).toBe(0);
      const empty = await engine.blob.put(new Uint8Array());
      expect((await peer.blob.get(empty))?.length).toBe(0);
    }),
  );

  test.for(["", "..", "../../etc/passwd", "A".repeat(64), `${"0".repeat(63)}/`, "0".repeat(65)])(
    "%j is neither a hash nor a path",
    async (hash) => {
      await withEngine(async ({ engine }) => {
        expect(await codeOf(engine.blob.get(hash))).toBe("invalid");
        expect(await codeOf(engine.blob.has(hash))).toBe("invalid");
      })();
    },
  );

  test(
    "a blob outlives a restart",
    withEngine(async ({ engine, reopen }) => {
      const hash = await engine.blob.put(page);
      if (!reopen) return;
      const again = await reopen();
      expect(textOf(await again.blob.get(hash))).toBe("<h1>hello</h1>");
      await again.close();
    }),
  );
}
