import { RpcError } from "@vitrine/protocol";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type HealthOptions, watchHealth } from "../src/frame/health.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watch(options: Partial<HealthOptions> = {}) {
  const ping = vi.fn(() => new Promise<unknown>(() => {}));
  const onSilent = vi.fn();
  const health = watchHealth({ ping, onSilent, ...options });
  onTestFinished(health.close);
  return { ping, onSilent, health };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test("a View that is silent for five seconds is asked, and has five seconds to answer", async () => {
  const { ping, onSilent } = watch();
  await pass(4);
  expect(ping).not.toHaveBeenCalled();
  await pass(1);
  expect(ping).toHaveBeenCalledTimes(1);
  await pass(4);
  expect(onSilent).not.toHaveBeenCalled();
  await pass(1);
  expect(onSilent.mock.calls).toEqual([["unresponsive"]]);
  await pass(100);
  expect(onSilent).toHaveBeenCalledTimes(1);
});

test("a View that sends messages is not pinged", async () => {
  const { ping, health } = watch();
  for (let i = 0; i < 10; i++) {
    await pass(4);
    health.received();
  }
  expect(ping).not.toHaveBeenCalled();
});

test("an answer is a sign of life, even that it does not know the question", async () => {
  for (const ping of [async () => ({}), async () => Promise.reject(new RpcError(-32601, "?"))]) {
    const asked = vi.fn(ping);
    const { onSilent } = watch({ ping: asked });
    await pass(100);
    expect(onSilent).not.toHaveBeenCalled();
    expect(asked.mock.calls.length).toBeGreaterThan(2);
  }
});

test("a ping that could not be sent isn't a sign of life", async () => {
  const { onSilent } = watch({ ping: () => Promise.reject(new Error("no channel")) });
  await pass(40);
  expect(onSilent).toHaveBeenCalledTimes(1);
});

test("where the relay does not answer either, the View is gone", async () => {
  const { onSilent } = watch({ isRelayAlive: async () => false });
  await pass(40);
  expect(onSilent.mock.calls).toEqual([["gone"]]);
});

test("S38: a View that used to answer and is silent for half a minute is gone", async () => {
  const ping = vi.fn(async () => ({}));
  const { onSilent } = watch({ ping });
  await pass(6);
  ping.mockReturnValue(new Promise(() => {}));
  await pass(10);
  expect(onSilent.mock.calls).toEqual([["unresponsive"]]);
  await pass(20);
  expect(onSilent.mock.calls).toEqual([["unresponsive"], ["gone"]]);
});

test("S38: a busy View is reported as responding when it answers after all", async () => {
  const onResponding = vi.fn();
  let answer = (_: unknown): void => {};
  const ping = () => new Promise<unknown>((resolve) => (answer = resolve));
  const { onSilent } = watch({ ping, onResponding });
  await pass(12);
  expect(onSilent).toHaveBeenCalledTimes(1);
  expect(onResponding).not.toHaveBeenCalled();
  answer({});
  await pass(1);
  expect(onResponding).toHaveBeenCalledTimes(1);
});

test("a View that is off screen, or in a hidden page, is slow by right and not asked", async () => {
  const { ping, health } = watch();
  health.setVisible(false);
  await pass(100);
  health.setVisible(true);
  vi.stubGlobal("document", { hidden: true });
  await pass(100);
  expect(ping).not.toHaveBeenCalled();
  vi.stubGlobal("document", { hidden: false });
  await pass(5);
  expect(ping).toHaveBeenCalledTimes(1);
});

test("an hour of the machine's sleep doesn't count as silence", async () => {
  const { ping } = watch();
  await pass(2);
  vi.setSystemTime(Date.now() + 3_600_000);
  await pass(2);
  expect(ping).not.toHaveBeenCalled();
});
