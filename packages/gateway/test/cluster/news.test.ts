// One process listens to a server for all of them; what it hears reaches everybody, also who was away.

import { expect, test } from "vitest";
import type { UpstreamEvent } from "../../src/upstreams/upstream.ts";
import { ann, bob, until } from "../upstreams/calls.ts";
import { call, openProcesses, type Process, TTL, type World } from "./stage.ts";

interface Ear {
  process: Process;
  heard: string[];
  stop(): void;
}

function listen(process: Process, options = {}, scope = ann): Ear {
  const heard: string[] = [];
  const hear = ({ kind, uri }: UpstreamEvent): void => {
    heard.push(uri ? `${kind} ${uri}` : kind);
  };
  return { process, heard, stop: process.upstream.listen(scope, hear, options) };
}

const streams = (processes: readonly Process[]): number =>
  processes.reduce((sum, { local }) => sum + local.listeners.size, 0);

async function openEars(
  count: number,
  { isStateful = true } = {},
): Promise<{ processes: Process[]; ears: Ear[]; source: Process; world: World }> {
  const { processes, world } = await openProcesses(count);
  for (const { local } of processes) local.isStateful = isStateful;
  const ears: Ear[] = [];
  for (const process of processes) {
    ears.push(listen(process));
    await until(() => streams(processes) === 1);
  }
  const [source] = processes.filter(({ local }) => local.listeners.size > 0);
  // Everybody has asked for the revision.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { processes, ears, source: source as Process, world };
}

for (const isStateful of [true, false]) {
  const server = isStateful ? "a server with a child" : "a server without sessions";
  test(`${server} is listened to once, and all processes hear of a change`, async () => {
    const { processes, ears, source } = await openEars(3, { isStateful });
    source.local.tell("tools");
    await until(() => ears.every(({ heard }) => heard.length > 0));
    expect(ears.map(({ heard }) => heard)).toEqual([["tools"], ["tools"], ["tools"]]);
    expect(streams(processes)).toBe(1);
  });

  test(`${server} is listened to by another process when the first is gone, and everything may have changed`, async () => {
    const { processes, ears, source } = await openEars(2, { isStateful });
    const [other] = ears.filter(({ process }) => process !== source);
    source.engine.cut();
    await until(() => other?.process.local.listeners.size === 1);
    expect(other?.heard).toEqual(["tools", "resources", "prompts"]);
    other?.process.local.tell("prompts");
    await until(() => other?.heard.length === 4);
    expect(processes).toHaveLength(2);
  });
}

test("a stateful server is listened to by who has its child", async () => {
  const { processes } = await openProcesses(2);
  const [first, second] = processes as [Process, Process];
  await second.upstream.send(call("a"));
  const { heard } = listen(first);
  await until(() => second.local.listeners.size === 1);
  expect(first.local.listeners.size).toBe(0);
  second.local.tell("resources");
  await until(() => heard.length === 1);
});

test("two who share nothing have streams of their own", async () => {
  const { processes } = await openProcesses(1);
  const [only] = processes as [Process];
  const ears = [listen(only), listen(only, {}, bob)];
  await until(() => only.local.listeners.size === 2);
  for (const { stop } of ears) stop();
  await until(() => only.local.listeners.size === 0);
});

test("the resources that anybody wants are asked for, and their updates told", async () => {
  const { processes } = await openProcesses(2);
  const [first, second] = processes as [Process, Process];
  listen(first, { resources: ["a:1"] });
  await until(() => first.local.listeners.size === 1);
  const { heard } = listen(second, { resources: ["a:2"] });
  await until(() => first.local.resources.length === 2);
  first.local.tell("resource", "a:2");
  await until(() => heard.includes("resource a:2"));
  expect(first.local.listeners.size).toBe(1);
});

test("who was cut off hears afterwards that something may have changed", async () => {
  const { ears, source } = await openEars(2);
  const [other] = ears.filter(({ process }) => process !== source);
  other?.process.engine.cut();
  source.local.tell("tools");
  await new Promise((resolve) => setTimeout(resolve, 2 * TTL));
  expect(other?.heard).toEqual([]);
  other?.process.engine.heal();
  await until(() => other?.heard.includes("tools"));
  source.local.tell("prompts");
  await until(() => other?.heard.at(-1) === "prompts");
});

test("a message that the bus lost is noticed with the next one, or by asking", async () => {
  const { ears, source } = await openEars(2);
  const [other] = ears.filter(({ process }) => process !== source);
  const { bus } = source.engine;
  const publish = bus.publish;
  bus.publish = () => {};
  source.local.tell("tools");
  await until(() => other?.heard.includes("tools"));
  expect(other?.heard).toEqual(["tools", "resources", "prompts"]);
  bus.publish = publish;
});

test("when nobody wants to know any more nobody listens, in whatever process", async () => {
  const { processes, ears } = await openEars(3);
  for (const { stop } of ears) stop();
  await until(() => streams(processes) === 0);
});

test("a bulletin that none of us made is not believed", async () => {
  const { ears, source } = await openEars(2);
  const [other] = ears.filter(({ process }) => process !== source);
  const subject = `ev.${Buffer.from("board").toString("base64url")}`;
  const forged = { key: "k", revision: 99, previous: 98, change: "any" };
  source.engine.bus.publish(subject, Buffer.from(`${JSON.stringify(forged)}\n`));
  await until(() => other?.process.refused.length === 1);
  expect(other?.heard).toEqual([]);
});
