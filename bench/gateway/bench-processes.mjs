// Processes that a bench starts, and ends with itself, each by its own id.

import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const FLAGS = [
  "--experimental-strip-types",
  "--no-warnings",
  "--conditions=@vitrine/source",
];
const MAIN = fileURLToPath(new URL("../../packages/gateway/src/main.ts", import.meta.url));
const TOKEN = "a-token-for-the-bench-0123456789";
const UNLIMITED = {
  viewPerMinute: 1e7,
  userPerMinute: 1e7,
  serverPerMinute: 1e7,
  userAtOnce: 10_000,
  acceptsPerSecond: 10_000,
  ticketSockets: 100_000,
  userSockets: 100_000,
  tenantSockets: 100_000,
};

const children = [];
const folders = [];
const end = () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};
process.once("exit", end);
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(130));

/** Starts one of our programs, which sends its parent a message when it is ready. */
export async function startProgram(url, args = []) {
  const child = fork(fileURLToPath(url), args, { execArgv: FLAGS });
  children.push(child);
  const gone = once(child, "exit").then(([code]) => {
    throw new Error(`${url} ended with ${code}.`);
  });
  gone.catch(() => {});
  const [told] = await Promise.race([once(child, "message"), gone]);
  return { ...told, pid: child.pid };
}

/** The gateway's own program with a configuration; token and limits are those of the bench. */
export async function startGateway(config, { folder = makeFolder(), name = "gateway" } = {}) {
  const port = await freePort();
  const file = join(folder, `${name}.yaml`);
  const whole = { listen: { port }, auth: { token: TOKEN }, limits: UNLIMITED, ...config };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(whole));
  const child = spawn(process.execPath, [...FLAGS, MAIN, "start", "--config", file], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
  });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output = (output + data).slice(-20_000);
    });
  }
  while (!output.includes("Engine     ")) {
    if (child.exitCode !== null) throw new Error(`A gateway ended: ${output.slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { port, pid: child.pid, token: TOKEN, output: () => output };
}

/** A folder that goes with this process. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  folders.push(folder);
  return folder;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
