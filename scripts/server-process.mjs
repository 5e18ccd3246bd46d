// Commands and servers in process groups: npm and the frameworks start more processes, and all of them
// end with this one.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

export const ADDRESS = "127.0.0.1";

/** Ids of the process groups that are running. */
const groups = new Set();

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Starts a command in a process group, because npm and the frameworks start more processes. */
export function start([command, ...args], { cwd, env }) {
  const child = spawn(command, args, { cwd, env, detached: true });
  const { pid } = child;
  if (pid) groups.add(pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += stripVTControlCharacters(String(chunk));
    });
  }
  const started = {
    pid,
    output: () => output,
    exitCode: undefined,
    closed: once(child, "close").then(([code]) => {
      started.exitCode = code ?? 1;
      // The first process may end before the rest of its group.
      endGroup(pid, "SIGKILL");
      groups.delete(pid);
    }),
  };
  return started;
}

/** Runs a command to its end and returns its output. */
export async function run(command, options) {
  const started = start(command, options);
  await started.closed;
  if (started.exitCode === 0) return started.output();
  throw new Error(`${command.join(" ")} failed:\n${started.output()}`);
}

/** Starts a server and waits until it responds. */
export async function startServer(
  command,
  { url, accepts = (status) => status === 200, ...options },
) {
  const server = start(command, options);
  const stop = async () => {
    const patience = setTimeout(() => endGroup(server.pid, "SIGKILL"), 5_000);
    endGroup(server.pid, "SIGTERM");
    await server.closed;
    clearTimeout(patience);
  };
  const until = Date.now() + 120_000;
  while (server.exitCode === undefined && Date.now() < until) {
    const response = await fetch(url).catch(() => undefined);
    if (response && accepts(response.status)) return { ...server, stop };
    await delay(100);
  }
  await stop();
  throw new Error(`${command.join(" ")} doesn't serve ${url}:\n${server.output()}`);
}

/** A port that nothing listens on. Not every framework can choose one itself. */
export async function freePort() {
  const server = createServer().listen(0, ADDRESS);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Ends every group that is running. */
export function endAll() {
  for (const pid of groups) endGroup(pid, "SIGKILL");
}
