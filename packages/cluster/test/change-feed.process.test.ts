// One process subscribes to a server's changes and forwards them to all others, even after a disconnect.

import { expect, test } from "vitest";
import type { UpstreamEvent } from "../../gateway/src/upstreams/upstream.ts";
import { ann, bob, until } from "../../gateway/test/upstreams/calls.ts";
import { call, openProcesses, type Process, TTL, type World } from "./stage.ts";

interface Listener {
  process: Process;
  received: string[];
  stop(): void;
}

function listen(process: Process, options = {}, scope = ann): Listener {
  const received: string[] = [];
  const onEvent = ({ kind, uri }: UpstreamEvent): void => {
    received.push(uri ? `${kind} ${uri}` : kind);
  };
  return { process, received, stop: process.upstream.listen(scope, onEvent, options) };
}

const streams = (processes: readonly Process[]): number =>
  processes.reduce((sum, { local }) => sum + local.listeners.size, 0);

async function openListeners(
  count: number,
  { isStateful = true } = {},
): Promise<{ processes: Process[]; listeners: Listener[]; source: Process; world: World }> {
  const { processes, world } = await openProcesses(count);
  for (const { local } of processes) local.isStateful = isStateful;
  const listeners: Listener[] = [];
  for (const process of processes) {
    listeners.push(listen(process));
    await until(() => streams(processes) === 1);
  }
  const [source] = processes.filter(({ local }) => local.listeners.size > 0);
  // All processes have read the current revision by now.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { processes, listeners, source: source as Process, world };
}

for (const isStateful of [true, false]) {
  const server = isStateful ? "a server with a child" : "a server without sessions";
  test(`${server} gets one subscription, and all processes receive its changes`, async () => {
    const { processes, listeners, source } = await openListeners(3, { isStateful });
    source.local.tell("tools");
    await until(() => listeners.every(({ received }) => received.length > 0));
    expect(listeners.map(({ received }) => received)).toEqual([["tools"], ["tools"], ["tools"]]);
    expect(streams(processes)).toBe(1);
  });

  test(`${server} gets a subscription of another process when the first is gone, which reports all lists as changed`, async () => {
    const { processes, listeners, source } = await openListeners(2, { isStateful });
    const [other] = listeners.filter(({ process }) => process !== source);
    source.engine.cut();
    await until(() => other?.process.local.listeners.size === 1);
    expect(other?.received).toEqual(["tools", "resources", "prompts"]);
    other?.process.local.tell("prompts");
    await until(() => other?.received.length === 4);
    expect(processes).toHaveLength(2);
  });
}

test("the owner of a stateful server's child subscribes to it", async () => {
  const { processes } = await openProcesses(2);
  const [first, second] = processes as [Process, Process];
  await second.upstream.send(call("a"));
  const { received } = listen(first);
  await until(() => second.local.listeners.size === 1);
  expect(first.local.listeners.size).toBe(0);
  second.local.tell("resources");
  await until(() => received.length === 1);
});

test("users who share nothing have separate subscriptions", async () => {
  const { processes } = await openProcesses(1);
  const [only] = processes as [Process];
  const listeners = [listen(only), listen(only, {}, bob)];
  await until(() => only.local.listeners.size === 2);
  for (const { stop } of listeners) stop();
  await until(() => only.local.listeners.size === 0);
});

test("subscribes to the resources of all listeners, and forwards their updates", async () => {
  const { processes } = await openProcesses(2);
  const [first, second] = processes as [Process, Process];
  listen(first, { resources: ["a:1"] });
  await until(() => first.local.listeners.size === 1);
  const { received } = listen(second, { resources: ["a:2"] });
  await until(() => first.local.resources.length === 2);
  first.local.tell("resource", "a:2");
  await until(() => received.includes("resource a:2"));
  expect(first.local.listeners.size).toBe(1);
});

test("a process that was cut off reports possible changes when it is back", async () => {
  const { listeners, source } = await openListeners(2);
  const [other] = listeners.filter(({ process }) => process !== source);
  other?.process.engine.cut();
  source.local.tell("tools");
  await new Promise((resolve) => setTimeout(resolve, 2 * TTL));
  expect(other?.received).toEqual([]);
  other?.process.engine.heal();
  await until(() => other?.received.includes("tools"));
  source.local.tell("prompts");
  await until(() => other?.received.at(-1) === "prompts");
});

test("detects a message that the bus lost", async () => {
  const { listeners, source } = await openListeners(2);
  const [other] = listeners.filter(({ process }) => process !== source);
  const { bus } = source.engine;
  const publish = bus.publish;
  bus.publish = () => {};
  source.local.tell("tools");
  await until(() => other?.received.includes("tools"));
  expect(other?.received).toEqual(["tools", "resources", "prompts"]);
  bus.publish = publish;
});

test("ends the subscription when no process listens any more", async () => {
  const { processes, listeners } = await openListeners(3);
  for (const { stop } of listeners) stop();
  await until(() => streams(processes) === 0);
});

test("ignores a forged change", async () => {
  const { listeners, source } = await openListeners(2);
  const [other] = listeners.filter(({ process }) => process !== source);
  const subject = `ev.${Buffer.from("board").toString("base64url")}`;
  const forged = { key: "k", revision: 99, previous: 98, change: "any" };
  source.engine.bus.publish(subject, Buffer.from(`${JSON.stringify(forged)}\n`));
  await until(() => other?.process.refused.length === 1);
  expect(other?.received).toEqual([]);
});
