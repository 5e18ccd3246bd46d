// A call that is made by another process behaves as if it were made by this one.

import { bytesOf } from "@vitrine/testing/engine-trial";
import { expect, test } from "vitest";
import { pack, unpack } from "../../src/cluster/parcel.ts";
import { EngineError } from "../../src/engine/errors.ts";
import { serialize } from "../../src/json-rpc/serialize.ts";
import { type UpstreamCall, UpstreamError } from "../../src/upstreams/upstream.ts";
import { ann, bob, request, resultOf, until } from "../upstreams/calls.ts";
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

/** The signals of the calls that an owner makes from now on. */
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

test("notifications of a call arrive before its answer, of a flood of progress the last", async () => {
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

test("notifications of a long call arrive while it is under way", async () => {
  const { world, other } = await openPair();
  const tell = [{ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }];
  const heard: string[] = [];
  const answer = other.upstream.send(
    call("a", { tell, wait: "open" }, { onNotification: ({ method }) => heard.push(method) }),
  );
  await until(() => heard.length === 1);
  world.waiting[0]?.();
  await answer;
  expect(heard).toEqual(["notifications/progress"]);
});

test("who gives up a call ends it at the owner", async () => {
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

test("the deadline of a call is the owner's too, and its end is a timeout", async () => {
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

test("what an upstream says about a failure is what the caller hears", async () => {
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

test("an answer and a question of several megabytes pass an engine that takes one", async () => {
  const { other, engine } = await openPair({ ttl: 20_000 });
  const size = 3.5 * engine.caps.maxBytes;
  const answer = await other.upstream.send(call("a", { size, more: "y".repeat(size) }));
  expect(resultOf(answer)).toMatchObject({ process: "p1", name: "a" });
  expect(resultOf(answer).filler.length).toBe(size);
});

test("notifications and discovery go to the owner as well", async () => {
  const { other, world } = await openPair();
  const message = { jsonrpc: "2.0" as const, method: "notifications/roots/list_changed" };
  await other.upstream.notify(message, ann);
  expect(world.calls.at(-1)).toEqual({
    process: "p1",
    name: "notify notifications/roots/list_changed",
  });
  expect((await other.upstream.discover(ann)).instructions).toBe("p1");
});

test("ping is answered here", async () => {
  const { other } = await openPair();
  other.engine.operations.length = 0;
  await other.upstream.send(request("ping")).catch(() => {});
  expect(other.engine.operations.filter((name) => name === "request")).toEqual([]);
});

test("an owner that nobody serves is found out at once: nothing was asked of it", async () => {
  const { other, owner, world } = await openPair({ patience: 0 });
  await other.upstream.send(call("a"));
  owner.cluster.courier.close();
  const before = performance.now();
  expect(await failureOf(other.upstream.send(call("b")))).toBe("unreachable");
  expect(performance.now() - before).toBeLessThan(500);
  expect(world.count("b")).toBe(0);
});

test("an answer arrives as the server gave it, and is known for a result or an error before it is read", async () => {
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

test("a question that relies on another revision, or is about something else, is not carried out", async () => {
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
    const answer = await other.cluster.courier.request({ node, epoch }, { ...asking, body });
    return unpack<{ kind?: string }>(answer).facts.kind;
  };
  expect(await ask({ revision: revision + 1 })).toBe("not-owner");
  expect(await ask({ revision: revision + 7 })).toBe("not-owner");
  expect(await ask({ key: `${key}x` })).toBe("not-owner");
  expect(await ask({ server: "bank" })).toBe("not-owner");
  // Under the key of what is owned, for somebody whose child is another one.
  expect(await ask({}, bob)).toBe("not-owner");
  expect(world.lives).toHaveLength(1);
  expect(world.count("asked")).toBe(0);
  expect(await ask({})).toBeUndefined();
  expect(world.count("asked")).toBe(1);
});

test("a claim that has changed hands is not relied on: the old revision is refused", async () => {
  const { other, owner, world, engine } = await openPair();
  await other.upstream.send(call("a"));
  // The owner gives it back and takes it again: its revision is another one.
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

test("a server without sessions is called from here, and the engine hears nothing of it", async () => {
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

test("an answer that the owner did not give to this question is none", async () => {
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
  // An older one again, a forged one, the question itself, nothing.
  expect(await through(() => answers[0] as Uint8Array)).toBe("outcome-unknown");
  expect(await through(() => bytesOf('{"kind":"done"}'))).toBe("outcome-unknown");
  expect(await through((answer) => answer.map((byte) => byte ^ 1))).toBe("outcome-unknown");
  expect(await through(() => new Uint8Array())).toBe("outcome-unknown");
  // Each was made, and none of them again.
  expect(world.count("asked")).toBe(5);
  // Nothing is what comes where the answer is in the reply to another message, and it was not.
  expect(other.refused).toEqual(["replayed", "malformed", "malformed"]);
});

test("answers of the same owner that were exchanged on the way reach the questions they name", async () => {
  const { other, world } = await openPair();
  const { bus } = other.engine;
  const request = bus.request;
  const answers: Promise<Uint8Array>[] = [];
  bus.request = async (...args) => {
    const place = answers.push(request(...args)) - 1;
    await until(() => answers.length === 2);
    return answers[1 - place] as Promise<Uint8Array>;
  };
  const first = other.upstream.send(call("a"));
  // Not in the same message.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = other.upstream.send(call("b"));
  expect(resultOf(await first).name).toBe("a");
  expect(resultOf(await second).name).toBe("b");
  expect([world.count("a"), world.count("b")]).toEqual([1, 1]);
});

test("calls that left together are answered each in its time, and fail each for itself", async () => {
  const { other, owner, world } = await openPair();
  const slow = other.upstream.send(call("slow", { wait: "open" }));
  const quick = ["a", "b"].map((name) => other.upstream.send(call(name)));
  const large = other.upstream.send(call("large", { size: 3_000_000 }));
  const requests = other.engine.operations.filter((name) => name === "request").length;
  for (const [place, answer] of quick.entries()) {
    expect(resultOf(await answer).name).toBe("ab"[place]);
  }
  expect(resultOf(await large).filler.length).toBe(3_000_000);
  // All four in one; the large answer is fetched in pieces.
  expect(requests).toBeLessThanOrEqual(1);
  const lost = failureOf(slow);
  owner.cluster.courier.close();
  owner.engine.cut();
  expect(await lost).toBe("outcome-unknown");
  expect(["slow", "a", "b", "large"].map((name) => world.count(name))).toEqual([1, 1, 1, 1]);
});

test("a call whose owner is gone when the rest of its answer is fetched was made, and is not made again", async () => {
  const { other, world } = await openPair();
  const { bus } = other.engine;
  const request = bus.request;
  let requests = 0;
  // The first brings the answer's first piece; of those after it nobody is there to hear.
  bus.request = async (...args) => {
    if (++requests > 1) throw new EngineError("no-responders", "Nobody is there.");
    return request(...args);
  };
  const lost = failureOf(other.upstream.send(call("large", { size: 9_000_000 })));
  expect(await lost).toBe("outcome-unknown");
  expect(requests).toBe(2);
  expect(world.count("large")).toBe(1);
});

test("an answer that gets lost is noticed long before the deadline; a call that takes its time is waited for", async () => {
  const { other, world } = await openPair({ ttl: 20_000 });
  const { bus } = other.engine;
  const request = bus.request;
  // Only probes get through: the answers of the calls go nowhere.
  let isLossy = true;
  bus.request = async (...args) => {
    const isCall = args[2].deadline > 10_000;
    const answer = await request(...args);
    return isLossy && isCall ? new Promise(() => {}) : answer;
  };
  const before = performance.now();
  const lost = failureOf(other.upstream.send(call("lost", {}, { deadline: 30_000 })));
  // Not in the same message, whose other answer would be on its way by itself.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const long = other.upstream.send(call("long", { wait: "open" }, { deadline: 30_000 }));
  expect(await lost).toBe("outcome-unknown");
  expect(performance.now() - before).toBeLessThan(8000);
  isLossy = false;
  await new Promise((resolve) => setTimeout(resolve, 4000));
  world.waiting[0]?.();
  expect(await processOf(long)).toBe("p1");
  expect([world.count("lost"), world.count("long")]).toEqual([1, 1]);
});

test("what is no envelope of the cluster is not carried out", async () => {
  const { owner, engine, world } = await openPair();
  const { node, epoch } = owner.cluster.membership;
  const asked = engine.bus.request(`n.${node}.${epoch}`, bytesOf("do it"), { deadline: 1000 });
  await expect(asked).rejects.toMatchObject({ code: "unavailable" });
  expect(owner.refused).toEqual(["malformed"]);
  expect(world.calls).toHaveLength(1);
});
