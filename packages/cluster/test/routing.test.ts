// A call that another process carries out behaves like a local one.

import { bytesOf } from "@vitrine/internal/engine-trial";
import { expect, test } from "vitest";
import { EngineError } from "../../gateway/src/engine/engine-error.ts";
import { serialize } from "../../gateway/src/json-rpc/serialize.ts";
import { type UpstreamCall, UpstreamError } from "../../gateway/src/upstreams/upstream.ts";
import { ann, bob, request, resultOf, until } from "../../gateway/test/upstreams/calls.ts";
import { pack, unpack } from "../src/routing/payload.ts";
import { call, failureOf, openProcesses, type Process, processOf } from "./stage.ts";

async function openPair(options = {}): Promise<{
  world: Awaited<ReturnType<typeof openProcesses>>["world"];
  owner: Process;
  other: Process;
  engine: Awaited<ReturnType<typeof openProcesses>>["engine"];
}> {
  const { world, engine, processes } = await openProcesses(2, options);
  const [owner, other] = processes as [Process, Process];
  await owner.upstream.send(call("first"));
  return { world, engine, owner, other };
}

/** The abort signals of an owner's calls from now on. */
function signalsOf({ local }: Process, see: (call: UpstreamCall) => void = () => {}) {
  const signals: UpstreamCall["signal"][] = [];
  const send = local.send.bind(local);
  local.send = (asked) => {
    signals.push(asked.signal);
    see(asked);
    return send(asked);
  };
  return signals;
}

test("notifications arrive before the response, and of a flood of progress the last one", async () => {
  const { other } = await openPair();
  const progress = (value: number) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: 1, progress: value },
  });
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { data: "hello" } };
  const read: unknown[] = [];
  const flood = Array.from({ length: 500 }, (_, n) => progress(n));
  const tell = [progress(-2), message, progress(-1), ...flood];
  await other.upstream.send(call("a", { tell }, { onNotification: (note) => read.push(note) }));
  expect(read.slice(0, 3)).toEqual([progress(-2), message, progress(-1)]);
  expect(read.at(-1)).toEqual(progress(499));
  expect(read.length).toBeLessThanOrEqual(16);
});

test("notifications of a long call arrive during the call", async () => {
  const { world, other } = await openPair();
  const tell = [{ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }];
  const received: string[] = [];
  const answer = other.upstream.send(
    call("a", { tell, wait: "open" }, { onNotification: ({ method }) => received.push(method) }),
  );
  await until(() => received.length === 1);
  world.waiting[0]?.();
  await answer;
  expect(received).toEqual(["notifications/progress"]);
});

test("cancelling a call ends it at the owner", async () => {
  const { world, owner, other } = await openPair();
  const signals = signalsOf(owner);
  const controller = new AbortController();
  const { signal } = controller;
  const failure = failureOf(other.upstream.send(call("a", { wait: "open" }, { signal })));
  await until(() => world.count("a") === 1);
  controller.abort();
  expect(await failure).toBe("aborted");
  await until(() => signals[0]?.aborted);
});

test("the deadline of a call applies at the owner too, and ends it with a timeout", async () => {
  const { other, owner } = await openPair();
  const deadlines: number[] = [];
  const signals = signalsOf(owner, ({ deadline }) => deadlines.push(deadline));
  expect(await failureOf(other.upstream.send(call("a", { wait: "open" }, { deadline: 200 })))).toBe(
    "timeout",
  );
  expect(deadlines[0]).toBeLessThanOrEqual(200);
  expect(deadlines[0]).toBeGreaterThan(50);
  await until(() => signals[0]?.aborted);
});

test("the caller receives the upstream's error", async () => {
  const { other, owner } = await openPair();
  owner.local.send = async () => {
    throw new UpstreamError("unauthorized", "Log in.", { status: 401, challenge: "Bearer x" });
  };
  const error = await other.upstream.send(call("a")).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: "unauthorized",
    facts: { status: 401, challenge: "Bearer x" },
  });
});

test("requests and responses of several megabytes pass an engine with a limit of one", async () => {
  const { other, engine } = await openPair({ ttl: 20_000 });
  const size = 3.5 * engine.caps.maxBytes;
  const answer = await other.upstream.send(call("a", { size, more: "y".repeat(size) }));
  expect(resultOf(answer)).toMatchObject({ process: "p1", name: "a" });
  expect(resultOf(answer).filler.length).toBe(size);
});

test("notifications and discovery go to the owner too", async () => {
  const { other, world } = await openPair();
  const message = { jsonrpc: "2.0" as const, method: "notifications/roots/list_changed" };
  await other.upstream.notify(message, ann);
  expect(world.calls.at(-1)).toEqual({
    process: "p1",
    name: "notify notifications/roots/list_changed",
  });
  expect((await other.upstream.discover(ann)).instructions).toBe("p1");
});

test("answers a ping locally", async () => {
  const { other } = await openPair();
  other.engine.operations.length = 0;
  await other.upstream.send(request("ping")).catch(() => {});
  expect(other.engine.operations.filter((name) => name === "request")).toEqual([]);
});

test("detects an unreachable owner at once, because the request wasn't delivered", async () => {
  const { other, owner, world } = await openPair({ patience: 0 });
  await other.upstream.send(call("a"));
  owner.cluster.rpc.close();
  const before = performance.now();
  expect(await failureOf(other.upstream.send(call("b")))).toBe("unreachable");
  expect(performance.now() - before).toBeLessThan(3000);
  expect(world.count("b")).toBe(0);
});

test("a response arrives unchanged, and is known to be a result or an error before it is parsed", async () => {
  const { owner, other } = await openPair();
  const result = { name: "é", process: "p1" };
  for (const body of [{ result }, { error: { code: -32_602, message: "No." } }] as const) {
    owner.local.send = async ({ message: { id } }) => ({
      message: { jsonrpc: "2.0", id, ...body },
    });
    const asked = call("a");
    const answer = await other.upstream.send(asked);
    expect(answer.message).toEqual({ jsonrpc: "2.0", id: asked.message.id, ...body });
  }
});

test("rejects a request with another revision or key", async () => {
  const { other, owner, world, engine } = await openPair();
  const sessions = engine.kv("sessions");
  const keys: string[] = [];
  for await (const key of sessions.keys()) keys.push(key);
  const [key = ""] = keys;
  const { revision = 0 } = (await sessions.get(key)) ?? {};
  const { node, epoch = 0 } = owner.cluster.membership;
  const ask = async (head: object, scope = ann): Promise<string | undefined> => {
    const { message } = call("asked");
    const { id, method } = message;
    const asking = { op: "call", server: "board", key, revision, deadline: 1000, ...head };
    const body = pack({ id, method, scope, deadline: 1000 }, serialize(message));
    const answer = await other.cluster.rpc.request({ node, epoch }, { ...asking, body });
    return unpack<{ kind?: string }>(answer).facts.kind;
  };
  expect(await ask({ revision: revision + 1 })).toBe("not-owner");
  expect(await ask({ revision: revision + 7 })).toBe("not-owner");
  expect(await ask({ key: `${key}x` })).toBe("not-owner");
  expect(await ask({ server: "bank" })).toBe("not-owner");
  // With the key of the owned child, for a user who has another child.
  expect(await ask({}, bob)).toBe("not-owner");
  expect(world.lives).toHaveLength(1);
  expect(world.count("asked")).toBe(0);
  expect(await ask({})).toBeUndefined();
  expect(world.count("asked")).toBe(1);
});

test("rejects the old revision after the claim has changed", async () => {
  const { other, owner, world, engine } = await openPair();
  await other.upstream.send(call("a"));
  // The owner releases the claim and takes it again, which changes its revision.
  const sessions = engine.kv("sessions");
  const before: number[] = [];
  for await (const key of sessions.keys()) before.push((await sessions.get(key))?.revision ?? 0);
  await owner.upstream.close();
  const again = owner.cluster.wrap(owner.local);
  await again.send(call("b"));
  expect(await processOf(other.upstream.send(call("c")))).toBe("p1");
  const after: number[] = [];
  for await (const key of sessions.keys()) after.push((await sessions.get(key))?.revision ?? 0);
  expect(after[0]).toBeGreaterThan(before[0] as number);
  expect(world.count("c")).toBe(1);
  await again.close();
});

test("calls a server without sessions directly, without the engine", async () => {
  const { processes } = await openProcesses(2, { ttl: 60_000 });
  const [first, second] = processes as [Process, Process];
  for (const { local } of [first, second]) local.isStateful = false;
  for (const { engine } of [first, second]) engine.operations.length = 0;
  for (let place = 0; place < 50; place++) {
    expect(await processOf(first.upstream.send(call("a")))).toBe("p1");
    expect(await processOf(second.upstream.send(call("a")))).toBe("p2");
  }
  expect([...first.engine.operations, ...second.engine.operations]).toEqual([]);
});

test("rejects a response that the owner didn't give to this request", async () => {
  const { other, world } = await openPair();
  const { bus } = other.engine;
  const request = bus.request;
  const answers: Uint8Array[] = [];
  const through = async (change: (answer: Uint8Array) => Uint8Array): Promise<string> => {
    bus.request = async (...args) => {
      const answer = await request(...args);
      answers.push(answer);
      return change(answer);
    };
    return failureOf(other.upstream.send(call("asked")));
  };
  expect(await through((answer) => answer)).toBe("it succeeded");
  // An older response, a forged one, the request itself, nothing.
  expect(await through(() => answers[0] as Uint8Array)).toBe("outcome-unknown");
  expect(await through(() => bytesOf('{"kind":"done"}'))).toBe("outcome-unknown");
  expect(await through((answer) => answer.map((byte) => byte ^ 1))).toBe("outcome-unknown");
  expect(await through(() => new Uint8Array())).toBe("outcome-unknown");
  // Each call was carried out once.
  expect(world.count("asked")).toBe(5);
  expect(other.refused).toEqual(["replayed", "malformed", "malformed", "malformed"]);
});

test("rejects two responses that were swapped on the way", async () => {
  const { other, world } = await openPair();
  const { bus } = other.engine;
  const request = bus.request;
  const responses: Promise<Uint8Array>[] = [];
  bus.request = async (...args) => {
    const place = responses.push(request(...args)) - 1;
    await until(() => responses.length === 2);
    return responses[1 - place] as Promise<Uint8Array>;
  };
  const calls = ["a", "b"].map((name) => failureOf(other.upstream.send(call(name))));
  expect(await Promise.all(calls)).toEqual(["outcome-unknown", "outcome-unknown"]);
  expect([world.count("a"), world.count("b")]).toEqual([1, 1]);
});

test("concurrent calls end and fail independently", async () => {
  const { other, owner, world } = await openPair();
  const slow = other.upstream.send(call("slow", { wait: "open" }));
  const quick = ["a", "b"].map((name) => other.upstream.send(call(name)));
  const large = other.upstream.send(call("large", { size: 3_000_000 }));
  for (const [place, answer] of quick.entries()) {
    expect(resultOf(await answer).name).toBe("ab"[place]);
  }
  expect(resultOf(await large).filler.length).toBe(3_000_000);
  const lost = failureOf(slow);
  owner.cluster.rpc.close();
  owner.engine.cut();
  expect(await lost).toBe("outcome-unknown");
  expect(["slow", "a", "b", "large"].map((name) => world.count(name))).toEqual([1, 1, 1, 1]);
});

test("an owner that no longer serves its address is noticed while its lease is still valid", async () => {
  const { other, owner, world } = await openPair({ ttl: 60_000 });
  const before = performance.now();
  const lost = failureOf(other.upstream.send(call("a", { wait: "open" }, { deadline: 30_000 })));
  await until(() => world.count("a") === 1);
  owner.cluster.rpc.close();
  expect(await lost).toBe("outcome-unknown");
  expect(performance.now() - before).toBeLessThan(8_000);
});

test("doesn't repeat a call whose owner is gone before the whole response was fetched", async () => {
  const { other, world } = await openPair();
  const { bus } = other.engine;
  const request = bus.request;
  let requests = 0;
  // The first request returns the response's first chunk; the owner is gone for the next ones.
  bus.request = async (...args) => {
    if (++requests > 1) throw new EngineError("no-responders", "Nobody is there.");
    return request(...args);
  };
  const lost = failureOf(other.upstream.send(call("large", { size: 9_000_000 })));
  expect(await lost).toBe("outcome-unknown");
  expect(requests).toBe(2);
  expect(world.count("large")).toBe(1);
});

test("detects a lost response long before the deadline, and waits for a slow call", async () => {
  const { other, world } = await openPair({ ttl: 20_000 });
  const { bus } = other.engine;
  const request = bus.request;
  // Only probes get through: the responses of the calls are lost.
  let isLossy = true;
  bus.request = async (...args) => {
    const isCall = args[2].deadline > 10_000;
    const answer = await request(...args);
    return isLossy && isCall ? new Promise(() => {}) : answer;
  };
  const before = performance.now();
  const lost = failureOf(other.upstream.send(call("lost", {}, { deadline: 30_000 })));
  const long = other.upstream.send(call("long", { wait: "open" }, { deadline: 30_000 }));
  expect(await lost).toBe("outcome-unknown");
  expect(performance.now() - before).toBeLessThan(8000);
  isLossy = false;
  await new Promise((resolve) => setTimeout(resolve, 4000));
  world.waiting[0]?.();
  expect(await processOf(long)).toBe("p1");
  expect([world.count("lost"), world.count("long")]).toEqual([1, 1]);
});

test("rejects a message that isn't an envelope of the cluster", async () => {
  const { owner, engine, world } = await openPair();
  const { node, epoch } = owner.cluster.membership;
  const asked = engine.bus.request(`n.${node}.${epoch}`, bytesOf("do it"), { deadline: 1000 });
  await expect(asked).rejects.toMatchObject({ code: "unavailable" });
  expect(owner.refused).toEqual(["malformed"]);
  expect(world.calls).toHaveLength(1);
});
