// A gateway that is stopped (SIGSTOP) can't end its children, so its guard does.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { program } from "../../gateway/test/upstreams/programs.ts";

const GATEWAY = fileURLToPath(new URL("./children/beating-gateway.ts", import.meta.url));

async function start(): Promise<{ gateway: ChildProcess; child: number }> {
  const [node, ...flags] = program("raw-stdio");
  const args = [...flags.slice(0, -1), GATEWAY, node, ...flags];
  const gateway = spawn(node, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    gateway.kill("SIGKILL");
  });
  const [line] = (await once(gateway.stdout, "data")) as [Buffer];
  return { gateway, child: Number(`${line}`) };
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const sleep = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

test("a process keeps running while the lease is renewed", async () => {
  const { child } = await start();
  await sleep(4000);
  expect(isAlive(child)).toBe(true);
});

test("the processes of a stopped gateway end when it may no longer act on its lease", async () => {
  const { gateway, child } = await start();
  await sleep(1000);
  gateway.kill("SIGSTOP");
  const before = performance.now();
  await until(() => !isAlive(child), 8000);
  expect(performance.now() - before).toBeGreaterThan(1000);
  gateway.kill("SIGCONT");
});

test("the processes of a running gateway that doesn't renew its lease end too", async () => {
  const { gateway, child } = await start();
  await sleep(1000);
  gateway.stdin?.write("quiet\n");
  await until(() => !isAlive(child), 8000);
});
