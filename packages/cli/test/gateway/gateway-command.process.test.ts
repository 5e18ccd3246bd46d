import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveStation2 } from "@vitrine/internal/station-servers";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { VITRINE, vitrine } from "../create/program.ts";

// Each starts processes that load the whole gateway.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
let port: number;
let station: Awaited<ReturnType<typeof serveStation2>>;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-gateway-"));
  station = await serveStation2();
  port = await freePort();
  await writeFile(
    join(folder, "gateway.yaml"),
    [
      `listen: { port: ${port} }`,
      "engine: { driver: sqlite, folder: data }",
      "servers:",
      `  station: { url: "${station.url}", private: true }`,
      "",
    ].join("\n"),
  );
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});
afterAll(async () => {
  await station[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await once(server.close(), "close");
  return port;
}

const gateway = (...line: string[]) => vitrine(["gateway", ...line], { cwd: folder });

/** A running gateway, and its output. */
function start(...line: string[]) {
  const args = [...VITRINE, "gateway", "start", ...line];
  const child = spawn(process.execPath, args, { cwd: folder });
  running.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  return { child, said: () => said };
}

async function stop(child: ChildProcess): Promise<number | null> {
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const [code] = await closed;
  return code;
}

test("a configuration is checked, the one in the folder unless another is named", async () => {
  const good = await gateway("config", "check");
  expect(good).toMatchObject({
    code: 0,
    out: expect.stringContaining("gateway.yaml is valid."),
  });
  await writeFile(
    join(folder, "bad.yaml"),
    "servers:\n  a: { url: https://a.example, consnt: ask }\n",
  );
  const bad = await gateway("config", "check", "--config", "bad.yaml");
  expect(bad).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^bad\.yaml:2: servers\.a\.consnt/),
  });
});

test("starts, answers, shuts down cleanly, and its audit log can be read and verified", async () => {
  const { child, said } = start();
  await expect.poll(said, { timeout: 60_000 }).toContain("Token ");
  expect(said()).toMatch(/^Engine +sqlite .*data/m);
  const answer = await fetch(`http://localhost:${port}/readyz`);
  expect(answer.status).toBe(200);
  // A request without a token is refused and logged.
  const refused = await fetch(`http://localhost:${port}/servers/station/mcp`, { method: "POST" });
  expect(refused.status).toBe(401);
  expect(await stop(child)).toBe(0);
  const verified = await gateway("audit", "verify");
  expect(verified).toMatchObject({
    code: 0,
    out: expect.stringContaining("The log is complete and unmodified."),
  });
  const tail = await gateway("audit", "tail", "--folder", "data", "--last", "1");
  expect(tail).toMatchObject({ code: 0, out: expect.stringContaining('"action":"stop"') });
  const all = await gateway("audit", "export");
  const records = all.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ event: "operator", detail: { action: "start" } });
});

test("--engine and --folder are for a configuration that names no engine", async () => {
  const bare = `listen: { port: ${port} }\nservers: { station: { url: "${station.url}", private: true } }\n`;
  await writeFile(join(folder, "bare.yaml"), bare);
  const usual = await gateway("config", "check", "--config", "bare.yaml");
  expect(usual.out).toMatch(/^Engine +memory,/m);
  const given = await gateway(
    "config",
    "check",
    "--config",
    "bare.yaml",
    "--engine=sqlite",
    "--folder",
    "kept",
  );
  expect(given.out).toContain(`sqlite ${join(folder, "kept")},`);
  const without = await gateway("config", "check", "--config", "bare.yaml", "--engine", "sqlite");
  expect(without).toMatchObject({ code: 2, err: expect.stringContaining("engine") });
});

test("writes an archive next to the log, and reads and verifies it by its folder", async () => {
  const archived = [
    `listen: { port: ${port} }`,
    "engine: { driver: sqlite, folder: other }",
    "audit: { archive: { folder: archive } }",
    `servers: { station: { url: "${station.url}", private: true } }`,
  ];
  await writeFile(join(folder, "archived.yaml"), `${archived.join("\n")}\n`);
  const { child, said } = start("--config", "archived.yaml");
  await expect.poll(said, { timeout: 60_000 }).toContain("Token ");
  expect(said()).toMatch(/^Archive +.*archive, synced before records are deleted$/m);
  expect(await stop(child)).toBe(0);
  const words = ["audit", "verify", "--archive", "archive", "--config", "archived.yaml"];
  expect(await gateway(...words)).toMatchObject({
    code: 0,
    out: expect.stringContaining("The log is complete and unmodified."),
  });
  const tail = await gateway("audit", "tail", "--archive=archive", "--last", "1");
  expect(tail).toMatchObject({ code: 0, out: expect.stringContaining('"action":"stop"') });
});

test.each([
  [[], "Usage: vitrine gateway <command>"],
  [
    ["stat"],
    'Unknown command "stat". Choose from: start, config check, health, keys create, keys public, policy check',
  ],
  [["audit"], 'Unknown command "audit". Choose from: audit verify, audit tail'],
  [["start", "--engine", "redis"], '--engine is "redis". Use one of: memory, sqlite, nats.'],
  [["audit", "tail", "--engine", "sqlite"], "--engine"],
  [["start", "--config", "nowhere.yaml"], "nowhere.yaml: The file doesn't exist"],
])("%j ends with words and not with a stack", async (line, words) => {
  const { code, err } = await gateway(...line);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(err).not.toMatch(/\n\s+at /);
});

test("explains how to install the gateway if it's missing", async () => {
  // As if it were not there: for us, and for the folder where the command is typed.
  const hide = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (!name.startsWith("@vitrine/gateway")) return next(name, context);
        throw Object.assign(new Error("Cannot find package '@vitrine/gateway'"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });`;
  const { code, err } = await vitrine(["gateway", "start"], {
    cwd: folder,
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hide)}` },
  });
  expect([code, err]).toEqual([2, expect.stringContaining("npm install @vitrine/gateway")]);
  expect(err).not.toMatch(/\n\s+at /);
});
