// A gateway from a configuration that isolates its programs, with real processes (O5).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { programWarnings } from "../../src/service/program-check.ts";
import { publicNode } from "../security/s19-stage.ts";
import type { Json } from "../stage.ts";
import { openServiceStage, type ServiceStage } from "./stage.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

// Reads the file that a call names, and tries to reach the address.
const SERVER = `
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const attempt = async (run) => { try { return await run(); } catch (error) { return error.code ?? String(error.cause ?? error); } };
const tools = [{ name: "try", inputSchema: { type: "object" } }];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const { path, url } = params?.arguments ?? {};
  const text = method !== "tools/call" ? "" : await attempt(() =>
    path ? readFileSync(path, "utf8") : url ? fetch(url).then(async (a) => a.status + " " + (await a.text())) : String(process.pid));
  const result = method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
    : method === "tools/list" ? { tools }
    : method === "tools/call" ? { content: [{ type: "text", text }] } : undefined;
  const error = { code: -32601, message: "Method not found" };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
}
`;

let stage: ServiceStage | undefined;
let folder: string | undefined;
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  if (folder) await rm(folder, { recursive: true, force: true });
  stage = undefined;
  folder = undefined;
});

async function serverFolder(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), "vitrine-isolated-"));
  await chmod(folder, 0o755);
  const own = join(folder, "server");
  await mkdir(own);
  await writeFile(join(own, "server.mjs"), SERVER);
  await writeFile(join(own, "own.txt"), "its own file");
  return own;
}

const engine = { driver: "sqlite", folder: "data" };
const call = async (given: object, server = "isolated"): Promise<string> => {
  const answer = await stage?.post("tools/call", { name: "try", arguments: given }, { server });
  return answer?.body.result?.content[0].text ?? answer?.text;
};

describe("a gateway with isolated programs", { timeout: 60_000 }, () => {
  test("shows a server its own files, and nothing of the gateway (O5)", async () => {
    const own = await serverFolder();
    const command = [publicNode(), join(own, "server.mjs")];
    stage = await openServiceStage({
      engine,
      isolation: { runner: "auto" },
      servers: { isolated: { command }, open: { command, isolation: { runner: "none" } } },
    });
    const key = join(stage.folder, "data", "keys", "ticket.key");
    expect(await call({ path: join(own, "own.txt") })).toBe("its own file");
    expect(await call({ path: key })).toBe("ENOENT");
    expect(await call({ path: stage.file })).toBe("ENOENT");
    expect(await call({ path: `/proc/${process.pid}/environ` })).toBe("ENOENT");
    expect(await call({ url: `${stage.service.url}/healthz` })).toMatch(/ECONNREFUSED|ENETUNREACH/);
    // The same program without isolation.
    expect(await call({ path: key }, "open")).not.toBe("ENOENT");
    expect(stage.logText()).toContain("isolation works");
  });

  test("warns once about programs without isolation in mode dev", async () => {
    const own = await serverFolder();
    const command = [publicNode(), join(own, "server.mjs")];
    stage = await openServiceStage({ servers: { plain: { command } } });
    await stage.service.reload();
    const warnings = stage.log.filter(({ msg }: Json) => msg.includes("run without isolation"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0].servers).toEqual(["plain"]);
  });

  test("names a program or folder that is missing, in the log and in a check (O16)", async () => {
    const servers = {
      lost: { command: ["no-such-program"] },
      away: { command: ["sh"], cwd: "no-such-folder" },
    };
    stage = await openServiceStage({ servers, isolation: { runner: "none" } });
    await call({}, "lost");
    await call({}, "away");
    const reasons = stage.log.flatMap(({ reason }: Json) => reason ?? []).join(" ");
    expect(reasons).toContain('There is no program "no-such-program" in PATH');
    expect(reasons).toContain("no-such-folder (cwd) doesn't exist");
    const warnings = await programWarnings(await loadConfig(stage.file, {}));
    expect(warnings).toEqual([
      expect.stringContaining("servers.lost: There is no program"),
      expect.stringContaining("servers.away: The folder"),
    ]);
  });

  test("doesn't start where isolation doesn't work, and names a remedy (O5)", async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-nowhere-"));
    const file = join(folder, "gateway.yaml");
    // Without a user and without a runner: the default with jwt is a runner.
    const config = {
      listen: { port: 0 },
      auth: { mode: "jwt", issuer: "https://login.example", audience: "gateway" },
      servers: { tool: { command: ["sh"] } },
    };
    await writeFile(file, stringify(config), { mode: 0o600 });
    const start = [process.execPath, ...FLAGS, MAIN, "start", "--config", file];
    const script = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    const args = ["--user", "--map-root-user", "/bin/sh", "-c", script, "sh", ...start];
    const gateway = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    const [code] = await once(gateway, "exit");
    expect(output).toContain("The runner bubblewrap doesn't work");
    expect(output).toContain("docs/isolation.md");
    expect(output).toContain("never started with less isolation");
    expect(code).toBeGreaterThan(0);
  });
});
