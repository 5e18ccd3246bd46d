import { expect, test } from "vitest";
import { CallLifetime } from "../../src/upstreams/call-lifetime.ts";
import { type CallSignal, Cancellation } from "../../src/upstreams/cancellation.ts";

/** Ours, and the platform's, which callers may give as well. */
const KINDS: Record<string, () => { signal: CallSignal; abort: (reason?: unknown) => void }> = {
  "a cancellation": () => {
    const signal = new Cancellation();
    return { signal, abort: (reason) => signal.abort(reason) };
  },
  "an AbortController": () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
  },
};

test.for(Object.keys(KINDS))("%s tells each listener once, and none that has left", (kind) => {
  const { signal, abort } = (KINDS[kind] as (typeof KINDS)[string])();
  const heard: string[] = [];
  const leave = (): void => void heard.push("left");
  signal.addEventListener("abort", () => heard.push("first"), { once: true });
  signal.addEventListener("abort", leave, { once: true });
  signal.addEventListener("abort", () => heard.push("last"), { once: true });
  signal.removeEventListener("abort", leave);
  expect(signal.aborted).toBe(false);
  abort("enough");
  abort("again");
  signal.addEventListener("abort", () => heard.push("late"), { once: true });
  expect(heard).toEqual(["first", "last"]);
  expect(signal).toMatchObject({ aborted: true, reason: "enough" });
});

test.for(Object.keys(KINDS))("%s without a reason has one all the same", (kind) => {
  const { signal, abort } = (KINDS[kind] as (typeof KINDS)[string])();
  abort();
  expect(signal.reason).toMatchObject({ name: "AbortError" });
});

test.for(Object.keys(KINDS))(
  "%s ends the lifetime of a call, also of one that begins later",
  (kind) => {
    const { signal, abort } = (KINDS[kind] as (typeof KINDS)[string])();
    const ended: string[] = [];
    const lifetime = new CallLifetime({ signal, deadline: 60_000 });
    const undo = lifetime.onEnd(() => ended.push("undone"));
    lifetime.onEnd(({ code }) => ended.push(code));
    undo();
    abort("enough");
    const late = new CallLifetime({ signal, deadline: 60_000 });
    late.onEnd(({ code, cause }) => ended.push(`late ${code} ${cause}`));
    expect(ended).toEqual(["aborted", "late aborted enough"]);
  },
);
