import { describe, expect, test, vi } from "vitest";
import { createModelContext } from "../src/model/model-context.ts";

const text = (value: string) => [{ type: "text" as const, text: value }];

describe("the context that Views give the model", () => {
  test("is there for the next turn, and the one after (HST-78)", () => {
    const context = createModelContext();
    const from = { server: "weather", appInfo: { name: "map", version: "1" } };
    context.set("one", { content: text("Bern chosen"), structuredContent: { city: "Bern" } }, from);
    const entry = {
      key: "one",
      from,
      content: text("Bern chosen"),
      structuredContent: { city: "Bern" },
    };
    expect(context.snapshot()).toEqual([entry]);
    expect(context.snapshot()).toEqual([entry]);
  });

  test("is the last word of each instance: three updates, one entry (HST-80)", () => {
    const context = createModelContext();
    for (const city of ["Bern", "Basel", "Chur"])
      context.set("one", { structuredContent: { city } });
    context.set("two", { content: text("another instance") });
    expect(context.snapshot()).toEqual([
      { key: "one", structuredContent: { city: "Chur" } },
      { key: "two", content: text("another instance") },
    ]);
  });

  test("replaces the earlier context, isn't reported twice, and is cleared by an empty update (HST-79)", () => {
    const context = createModelContext();
    const listener = vi.fn();
    const stop = context.onChange(listener);
    context.set("one", { content: text("a"), structuredContent: { b: 1 } });
    context.set("one", { content: text("a"), structuredContent: { b: 1 } });
    expect(listener).toHaveBeenCalledTimes(1);
    context.set("one", { content: text("a") });
    expect(context.snapshot()).toEqual([{ key: "one", content: text("a") }]);
    for (const empty of [{}, { content: [] }, { structuredContent: {} }]) {
      context.set("one", { content: text("b") });
      context.set("one", empty);
      expect(context.snapshot()).toEqual([]);
    }
    stop();
    const calls = listener.mock.calls.length;
    context.set("one", { content: text("c") });
    expect(listener).toHaveBeenCalledTimes(calls);
  });

  test("goes with its View", () => {
    const context = createModelContext();
    context.set("one", { content: text("a") });
    context.set("two", { content: text("b") });
    context.delete("one");
    context.delete("nobody");
    expect(context.snapshot().map(({ key }) => key)).toEqual(["two"]);
  });

  test("cannot be changed through what was given or taken", () => {
    const context = createModelContext();
    const structuredContent = { city: "Bern" };
    context.set("one", { structuredContent });
    structuredContent.city = "Atlantis";
    const [entry] = context.snapshot();
    (entry?.structuredContent as { city: string }).city = "Atlantis";
    expect(context.snapshot()).toEqual([{ key: "one", structuredContent: { city: "Bern" } }]);
  });

  test("has limits for each View and for all, in bytes, and what was there stays", () => {
    const context = createModelContext();
    context.set("one", { content: text("kept") });
    expect(() => context.set("one", { content: text("x".repeat(33_000)) })).toThrow(
      /32768 for one view/,
    );
    expect(() => context.set("one", { content: text("ü".repeat(17_000)) })).toThrow(/32768/);
    for (let n = 0; n < 4; n++) context.set(`view ${n}`, { content: text("x".repeat(32_000)) });
    expect(() => context.set("late", { content: text("x".repeat(5_000)) })).toThrow(
      /131072 for all/,
    );
    // A View may say something else of the same length, and always less than it did.
    context.set("view 0", { content: text("y".repeat(32_000)) });
    context.set("view 0", { content: text("less") });
    context.set("late", { content: text("x".repeat(5_000)) });
    expect(context.snapshot().map(({ key }) => key)).toEqual([
      "one",
      "view 1",
      "view 2",
      "view 3",
      "view 0",
      "late",
    ]);
    expect(context.snapshot()[0]).toEqual({ key: "one", content: text("kept") });
  });

  test("rejects an update that is too large", () => {
    const context = createModelContext({ perView: 10 });
    expect(() => context.set("one", { content: text("hello") })).toThrow(
      expect.objectContaining({ name: "RpcError", code: -32000 }),
    );
  });
});

test("drops the oldest entries of views that are gone to make room, and never those of others", () => {
  const gone = new Set(["a", "b"]);
  const context = createModelContext({ total: 300, isDroppable: (key) => gone.has(key) });
  for (const key of ["a", "live", "b"]) context.set(key, { content: text("x".repeat(40)) });
  context.set("new", { content: text("x".repeat(40)) });
  expect(context.snapshot().map(({ key }) => key)).toEqual(["live", "b", "new"]);
  expect(() => context.set("huge", { content: text("x".repeat(190)) })).toThrow("Send less");
  expect(context.snapshot().map(({ key }) => key)).toEqual(["live", "b", "new"]);
});
