import { expect, test } from "vitest";
import { CallLifetime } from "../../src/upstreams/call-lifetime.ts";

test("a caller's abort ends the lifetime of a call, and of one that starts later", () => {
  const caller = new AbortController();
  const ended: string[] = [];
  const lifetime = new CallLifetime({ signal: caller.signal, deadline: 60_000 });
  const unsubscribe = lifetime.onEnd(() => ended.push("unsubscribed"));
  lifetime.onEnd(({ code }) => ended.push(code));
  unsubscribe();
  caller.abort("enough");
  const late = new CallLifetime({ signal: caller.signal, deadline: 60_000 });
  late.onEnd(({ code, cause }) => ended.push(`late ${code} ${cause}`));
  expect(ended).toEqual(["aborted", "late aborted enough"]);
  expect(lifetime.rest).toBe(0);
});

test("a lifetime keeps its first reason", async () => {
  const caller = new AbortController();
  const lifetime = new CallLifetime({ signal: caller.signal, deadline: 5 });
  await expect(lifetime.race(new Promise(() => {}))).rejects.toMatchObject({ code: "timeout" });
  caller.abort();
  expect(lifetime.reason).toMatchObject({ code: "timeout" });
});

test("a disposed lifetime doesn't end", async () => {
  const caller = new AbortController();
  const lifetime = new CallLifetime({ signal: caller.signal, deadline: 5 });
  lifetime.dispose();
  caller.abort();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lifetime.reason).toBeUndefined();
});
