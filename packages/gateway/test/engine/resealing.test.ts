import { expect, test } from "vitest";
import { createMemoryEngine, createSealer, sealEngine } from "../../src/engine/index.ts";

const key = (id: string, fill: number) => ({ id, secret: new Uint8Array(32).fill(fill) });
const sealerOf = (...keys: ReturnType<typeof key>[]) => createSealer(keys, { purpose: "store" });

test("values of an old key are sealed again, so that the old key can be removed (O6)", async () => {
  const [OLD, NEW] = [key("old", 1), key("new", 2)];
  const memory = createMemoryEngine();
  const before = sealEngine(memory, { sealer: sealerOf(OLD) });
  const lasting = { durable: true };
  for (const name of ["a", "b", "c"]) {
    await before.kv("grants", lasting).put(name, Buffer.from(name));
  }
  // Written by someone without a key: it stays as it is.
  await memory.kv("grants").put("forged", new Uint8Array(64).fill(1));

  const during = sealEngine(memory, { sealer: sealerOf(NEW, OLD) });
  const grants = during.kv("grants", lasting);
  await grants.put("b", Buffer.from("changed"));
  expect(await during.reseal()).toBe(2);
  expect(await during.reseal()).toBe(0);

  const after = sealEngine(memory, { sealer: sealerOf(NEW) }).kv("grants", lasting);
  const values = await Promise.all(["a", "b", "c", "forged"].map((name) => after.get(name)));
  expect(values.map((entry) => entry && Buffer.from(entry.value).toString())).toEqual([
    ...["a", "changed", "c", undefined],
  ]);
});
