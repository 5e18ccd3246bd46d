// A gateway as operators run it, for users of two tenants, with a hostile program as its server: started by root,
// or by another user with the three capabilities that the documentation names.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, renameSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { createKeyFiles } from "../../src/service/key-files.ts";
import { freePort } from "../service/stage.ts";
import type { Json } from "../stage.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const HOSTILE = fileURLToPath(new URL("./children/hostile-server.py", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const PYTHON = "/usr/bin/python3";

export const GATEWAY_USER = 1500;
export const CHILD_USER = 1600;
export const CANARY = "CANARY-secret-of-the-gateway-0123456789";

/** The user that starts the gateway. */
export type Starter = "root" | "capable" | "unable to kill" | "plain";

const setpriv = (...more: string[]): string[] => [
  "/usr/bin/setpriv",
  ...["--reuid", `${GATEWAY_USER}`, "--regid", `${GATEWAY_USER}`, "--clear-groups"],
  ...more,
];
const capable = (capabilities: string): string[] =>
  setpriv(`--inh-caps=-all,${capabilities}`, `--ambient-caps=${capabilities}`, "--no-new-privs");
const BEFORE: Record<Starter, string[]> = {
  root: [],
  capable: capable("+setuid,+setgid,+kill"),
  "unable to kill": capable("+setuid,+setgid"),
  // The shell starts the program without the capabilities that setpriv itself still has.
  plain: [...setpriv("--inh-caps=-all", "--no-new-privs"), ...["/bin/sh", "-c", 'exec "$0" "$@"']],
};

/** Why this machine can't run these tests; nothing if it can. */
export function obstacle(): string | undefined {
  if (process.platform !== "linux") return "other users' processes are started on Linux only";
  if (process.getuid?.() !== 0) return "only root can start processes of other users";
  for (const path of [PYTHON, "/usr/bin/setpriv"]) {
    if (!existsSync(path)) return `${path} is missing`;
  }
  const [program = "", ...args] = [...BEFORE.plain, publicNode(), "--version"];
  if (spawnSync(program, args).status !== 0) return "another user can't run node";
  const [cat = "", ...rest] = [...BEFORE.plain, "/bin/cat", MAIN, HOSTILE];
  return spawnSync(cat, rest).status === 0 ? undefined : "another user can't read the sources";
}

/** Node where every user may run it: it may be in a home folder. */
export function publicNode(): string {
  const folder = join(tmpdir(), `vitrine-public-node-${process.version}`);
  const path = join(folder, "node");
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const draft = `${path}.${process.pid}`;
  try {
    linkSync(process.execPath, draft);
  } catch {
    copyFileSync(process.execPath, draft);
  }
  renameSync(draft, path);
  return path;
}

/** Node as in our image: every user may run it, and nobody but root may read it. */
export async function unreadableNode(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-s19-node-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "node");
  await copyFile(process.execPath, path);
  await chmod(path, 0o711);
  await chmod(folder, 0o755);
  return path;
}

/** A gateway that a mutation run starts loses the same defence as the tests. */
function withoutDefence(): Record<string, string> {
  const { VITRINE_REDTEAM_WITHOUT: name, NODE_OPTIONS: options = "" } = process.env;
  return name ? { VITRINE_REDTEAM_WITHOUT: name, NODE_OPTIONS: options } : {};
}

/** An identity provider that has users of two tenants. */
async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
  const server = createServer((_request, answer) => {
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ keys: [key] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = (tenant: string, user: string): Promise<string> =>
    new SignJWT({ sub: user, org: tenant })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setIssuer(issuer)
      .setAudience("gateway")
      .setExpirationTime("5m")
      .sign(privateKey);
  const auth = { mode: "jwt", issuer, audience: "gateway", jwks: issuer, tenantClaim: "org" };
  return { auth, token };
}

export interface Site {
  folder: string;
  keys: string;
  gateway: ChildProcess;
  pid: number;
  output(): string;
  /** Resolves to the exit code. */
  exited: Promise<number | null>;
  token(tenant: string, user: string): Promise<string>;
  request(path: string, headers: Record<string, string>, body: object): Promise<Response>;
  call(tool: string): Promise<Json>;
}

/** Starts a gateway; with `config` parts of its configuration are replaced. */
export async function startSite(
  starter: Starter,
  options: {
    config?: Record<string, Json>;
    server?: Record<string, Json>;
    args?: string[];
    environment?: Record<string, string>;
    /** Descriptors that the gateway inherits, by number. */
    descriptors?: Record<number, number | "pipe">;
    /** The program that runs the gateway. */
    node?: string;
  } = {},
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-s19-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [keys, data, file] = [
    join(folder, "keys"),
    join(folder, "data"),
    join(folder, "gateway.yaml"),
  ];
  const owner = starter === "root" ? 0 : GATEWAY_USER;
  const { auth, token } = await startIssuer();
  const port = await freePort();
  await createKeyFiles(keys);
  await mkdir(data);
  await writeFile(join(keys, "operator-token"), `${CANARY}\n`, { mode: 0o600 });
  const paths = (await readdir(keys)).map((name) => join(keys, name));
  const command = [
    PYTHON,
    HOSTILE,
    ...paths,
    ...["gateway.db", "gateway.db-wal", "owner.lock"].map((name) => join(data, name)),
    file,
    ...(options.args ?? []),
  ];
  const config = {
    listen: { port },
    auth,
    keys: { folder: "keys" },
    engine: { driver: "sqlite", folder: "data" },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the gateway fills it in.
    operator: { port: 0, token: "${file:keys/operator-token}" },
    servers: {
      hostile: { command, user: `${CHILD_USER}:${CHILD_USER}`, sharing: "all", ...options.server },
    },
    ...options.config,
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
  // The folder can be entered by all, so that only the files' own modes protect them.
  await chmod(folder, 0o755);
  await chmod(keys, 0o755);
  for (const path of [folder, keys, data, file, ...paths]) await chown(path, owner, owner);
  const numbers = Object.entries(options.descriptors ?? {});
  const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "pipe"];
  for (const [number, value] of numbers) {
    while (stdio.length <= Number(number)) stdio.push("ignore");
    stdio[Number(number)] = value;
  }
  const [program = "", ...args] = [
    ...BEFORE[starter],
    options.node ?? publicNode(),
    ...FLAGS,
    MAIN,
  ];
  const gateway = spawn(program, [...args, "start", "--config", file], {
    cwd: folder,
    stdio,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: "/nonexistent",
      ...withoutDefence(),
      ...options.environment,
    },
  });
  let output = "";
  for (const stream of [gateway.stdout, gateway.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const exited = once(gateway, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    gateway.kill("SIGKILL");
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  const request: Site["request"] = (path, headers, body) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const call: Site["call"] = async (name) => {
    const answer = await request(
      "/servers/hostile/mcp",
      {
        authorization: `Bearer ${await token("bravo", "mallory")}`,
        "mcp-protocol-version": "2025-11-25",
      },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
    );
    const body = (await answer.json()) as Json;
    return body.result ? JSON.parse(body.result.content[0].text) : body.error;
  };
  return {
    folder,
    keys,
    gateway,
    pid: gateway.pid ?? 0,
    output: () => output,
    exited,
    token,
    request,
    call,
  };
}

/** Waits until the gateway is up, or has ended: then this is its exit code. */
export async function outcomeOf(site: Site): Promise<"up" | number | null> {
  let code: number | null | undefined;
  void site.exited.then((ended) => {
    code = ended;
  });
  while (!site.output().includes("Gateway ")) {
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return "up";
}

/** Waits until the gateway is up; throws what it said if it ended. */
export async function untilUp(site: Site): Promise<void> {
  const outcome = await outcomeOf(site);
  if (outcome !== "up") throw new Error(`The gateway ended (${outcome}): ${site.output()}`);
}
