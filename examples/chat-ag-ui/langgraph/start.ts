// Installs LangGraph once per machine, outside the repository, and starts the agent.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { has, type Made, provide } from "../../../packages/gateway/test/interop/cache.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Installs LangGraph unless it is there. Returns its folder, or why there is none. */
export function installLangGraph(): Made {
  if (!has("python3")) return { problem: "python3 isn't installed." };
  return provide({
    name: "langgraph",
    inputs: [path("requirements.txt")],
    make: (folder) => [
      { argv: ["python3", "-m", "venv", "venv"] },
      { argv: [join(folder, "venv/bin/pip"), "install", "-q", "-r", path("requirements.txt")] },
    ],
  });
}

/** Starts the agent of `agent.py`. */
export async function startLangGraph(
  folder: string,
  addresses: { model: string; trips: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(join(folder, "venv/bin/python"), [path("agent.py"), `${port}`], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      MODEL_URL: addresses.model,
      MCP_SERVERS: JSON.stringify({ trips: addresses.trips }),
    },
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/agent/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`The agent has ended. ${complaint}`);
    await wait(100);
  }
  return { url: `${origin}/agent`, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
