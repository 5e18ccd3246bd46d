import { expect, test } from "vitest";
import { createMemoryStore } from "../src/view-store.ts";

const minute = { ttl: 60_000 };

test("a text can be read until it is taken, and taken once", async () => {
  const store = createMemoryStore();
  await store.put("a", "text", minute);
  expect(await store.get("a")).toBe("text");
  expect(await store.get("a")).toBe("text");
  const takes = await Promise.all([store.take("a"), store.take("a"), store.take("a")]);
  expect(takes).toEqual(["text", undefined, undefined]);
  expect(await store.get("a")).toBeUndefined();
});

test("the store uses the clock it was given", async () => {
  let now = 0;
  const store = createMemoryStore({ clock: () => now });
  await store.put("a", "text", { ttl: 100 });
  now = 99;
  expect(await store.get("a")).toBe("text");
  now = 100;
  expect(await store.get("a")).toBeUndefined();
  expect(await store.take("a")).toBeUndefined();
});

test("counters add up, and restart after their time", async () => {
  let now = 0;
  const store = createMemoryStore({ clock: () => now });
  expect(await store.add("a", 2, { ttl: 100 })).toBe(2);
  now = 99;
  expect(await store.add("a", 3, { ttl: 100 })).toBe(5);
  now = 100;
  expect(await store.add("a", 1, { ttl: 100 })).toBe(1);
});

test("no more entries than allowed; what expired makes room, what waits does not", async () => {
  let now = 0;
  const store = createMemoryStore({ entries: 2, clock: () => now });
  await store.put("a", "1", { ttl: 10 });
  await store.put("b", "2", minute);
  await expect(store.put("c", "3", minute)).rejects.toMatchObject({ code: "store-full" });
  expect(await store.get("a")).toBe("1");
  expect(await store.add("d", 1, minute)).toBe(Number.POSITIVE_INFINITY);
  now = 10;
  await store.put("c", "3", minute);
  expect(await store.get("c")).toBe("3");
});

test("no more bytes than allowed, and bytes come back when a text goes", async () => {
  const store = createMemoryStore({ bytes: 20 });
  await store.put("a", "12345", minute);
  await expect(store.put("b", "123456", minute)).rejects.toThrow(/The store is full/);
  await store.put("a", "1234567890", minute);
  await store.take("a");
  await store.put("b", "1234567890", minute);
  store.close();
  await store.put("c", "1234567890", minute);
  expect(await store.get("b")).toBeUndefined();
});
