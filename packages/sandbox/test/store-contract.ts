import { expect, test } from "vitest";
import { createSandbox } from "../src/handler.ts";
import type { ViewStore } from "../src/view-store.ts";
import { DOMAIN, FRAME, HTML, settings } from "./sandbox-stage.ts";

/** A kind of store under test. */
export interface StoreTrial {
  /** Another process's connection to the same store; the same object where there is one process. */
  open(): ViewStore;
  /** Lets time pass for the store. */
  pass(milliseconds: number): Promise<void>;
}

const MINUTE = { ttl: 60_000 };
let names = 0;
/** A name that no other test uses. */
const fresh = (): string => `test-${process.pid}-${names++}`;

/** What the sandbox needs of every store. */
export function describeStore(trial: StoreTrial): void {
  test("another process reads a text, until it is taken", async () => {
    const key = fresh();
    const text = 'é\u2028\n{"a":"\\u0000"}';
    await trial.open().put(key, text, MINUTE);
    expect(await trial.open().get(key)).toBe(text);
    expect(await trial.open().take(key)).toBe(text);
    expect(await trial.open().take(key)).toBeUndefined();
    expect(await trial.open().get(key)).toBeUndefined();
  });

  test("an unknown key has no text", async () => {
    expect(await trial.open().get(fresh())).toBeUndefined();
    expect(await trial.open().take(fresh())).toBeUndefined();
  });

  test("an empty text is a text", async () => {
    const key = fresh();
    await trial.open().put(key, "", MINUTE);
    expect(await trial.open().take(key)).toBe("");
  });

  test("of many concurrent callers one takes a text", async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = fresh();
      await trial.open().put(key, "text", MINUTE);
      const takes = await Promise.all(Array.from({ length: 8 }, () => trial.open().take(key)));
      expect(takes.filter((taken) => taken === "text")).toHaveLength(1);
      expect(takes.filter((taken) => taken === undefined)).toHaveLength(7);
    }
  });

  test("a key can be used again after its text was taken, and a text replaced", async () => {
    const key = fresh();
    await trial.open().put(key, "1", MINUTE);
    await trial.open().take(key);
    await trial.open().put(key, "2", MINUTE);
    await trial.open().put(key, "3", MINUTE);
    expect(await trial.open().take(key)).toBe("3");
  });

  test("a text has an end", async () => {
    const [read, taken] = [fresh(), fresh()];
    for (const key of [read, taken]) await trial.open().put(key, "text", { ttl: 150 });
    await trial.pass(200);
    expect(await trial.open().get(read)).toBeUndefined();
    expect(await trial.open().take(taken)).toBeUndefined();
  });

  test("concurrent callers add to one counter, and one of them is the first", async () => {
    const key = fresh();
    const sums = await Promise.all(
      Array.from({ length: 20 }, () => trial.open().add(key, 2, MINUTE)),
    );
    expect(sums.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 20 }, (_, at) => 2 * at + 2),
    );
  });

  test("a counter ends at a fixed time: adding doesn't prolong it", async () => {
    const key = fresh();
    expect(await trial.open().add(key, 1, { ttl: 400 })).toBe(1);
    await trial.pass(250);
    expect(await trial.open().add(key, 1, { ttl: 400 })).toBe(2);
    await trial.pass(250);
    expect(await trial.open().add(key, 1, { ttl: 400 })).toBe(1);
  });

  test("a large text comes back unchanged", async () => {
    const key = fresh();
    const text = "é".repeat(2 ** 20);
    await trial.open().put(key, text, MINUTE);
    expect((await trial.open().take(key)) === text).toBe(true);
  });

  test("two sandboxes with it are one: a view opens in the other, once", async () => {
    const [one, other] = [trial.open(), trial.open()].map((store) =>
      createSandbox({ origins: DOMAIN, store }),
    );
    const registered = await one?.register({ server: "s", resource: "ui://r", html: HTML });
    const open = (url: string) => other?.fetch(new Request(url, { headers: FRAME }));
    const page = await open(registered?.proxyUrl ?? "");
    const view = String(settings((await page?.text()) ?? "").view);
    expect((await open(view))?.status).toBe(200);
    expect((await open(view))?.status).toBe(410);
    expect((await one?.fetch(new Request(view, { headers: FRAME })))?.status).toBe(410);
  });
}
