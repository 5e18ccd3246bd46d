// Three gateways as real processes on three NATS nodes, a server over stdio and one over HTTP, and the records
// that show afterwards what happened.

import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NatsServers } from "@vitrine/internal/nats-server";
import { stringify } from "yaml";
import { runCommand } from "../../../gateway/src/service/command-line.ts";
import { createKeyFiles } from "../../../gateway/src/service/key-files.ts";
import { freePort } from "../../../gateway/test/service/stage.ts";
import { type Json, META } from "../../../gateway/test/stage.ts";
import { FLAGS, GatewayChild, type GatewayProcess } from "./gateway-child.ts";
import { type ModernServer, serveModern } from "./modern-server.ts";

const RECORDER = fileURLToPath(new URL("./children/recorder-server.ts", import.meta.url));

export const TOKEN = "a-token-for-faults-0123456789abcdef";
const UNLIMITED = {
  viewPerMinute: 1e6,
  userPerMinute: 1e7,
  userAtOnce: 10_000,
  userSockets: 10_000,
  tenantSockets: 10_000,
};

/** The outcome of a call. */
export interface CallOutcome {
  /** `answered`, or the reason why not. */
  outcome: string;
  time: number;
}

export interface Site {
  readonly gateways: readonly GatewayProcess[];
  readonly modern: ModernServer;
  /** The folder with all its files. */
  readonly folder: string;
  /** Calls the tool that all servers have; `where` is a gateway's index. */
  call(where: number, server: string, call: string, given?: object): Promise<CallOutcome>;
  /** Sends a request to a server as the model's host does. */
  request(where: number, server: string, method: string, params: object): Promise<Json>;
  post(where: number, path: string, body: object, headers?: object): Promise<Response>;
  /** The calls that the child carried out, and when its processes lived. */
  calls(): { process: number; call: string; at: number }[];
  lives(): { process: number; from: number; to: number }[];
  /** The audit log: whether it verifies, and its calls. */
  audit(): Promise<{ isWhole: boolean; said: string; answered: Set<string> }>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Additional settings of each gateway. */
  config?: object;
  /** The NATS servers of each gateway; its own node by default. */
  natsOf?(place: number): string[];
  /** The prefix of the deployment's names. */
  prefix: string;
  consent?: "host" | "always";
  /** Additional host names of the gateways. */
  hosts?: string[];
  /** Additional servers, by name. */
  servers?: object;
  /** The main file of the gateways' program; this one by default. */
  program?: string | undefined;
  /** A command that starts the gateway's own, for the folder of its engine. */
  launcher?(place: number, folder: string): readonly string[] | undefined;
}

export async function openSite(nats: NatsServers, options: SiteOptions): Promise<Site> {
  const { config = {}, natsOf = (place) => rotated(nats.urls, place), prefix } = options;
  const { consent = "host", hosts = [], servers = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), "vitrine-faults-"));
  await createKeyFiles(join(folder, "keys"));
  const modern = await serveModern();
  const command = [process.execPath, ...FLAGS, RECORDER, folder];
  const gateways: GatewayChild[] = [];
  for (let place = 0; place < 3; place++) {
    const name = `g${place + 1}`;
    const [port, operatorPort] = [await freePort(), await freePort()];
    const file = join(folder, `${name}.yaml`);
    await writeFile(
      file,
      stringify({
        listen: { port, hosts },
        auth: { token: TOKEN },
        operator: { port: operatorPort },
        limits: UNLIMITED,
        keys: { folder: "keys" },
        engine: {
          driver: "nats",
          servers: natsOf(place),
          node: name,
          prefix,
          folder: name,
        },
        audit: { level: "full", mode: "wait" },
        servers: {
          recorder: { command, sharing: "all", consent, deadline: 20_000 },
          modern: { url: modern.url, private: true, consent, deadline: 20_000 },
          ...servers,
        },
        ...config,
      }),
    );
    const launcher = options.launcher?.(place, join(folder, name));
    const { program } = options;
    gateways.push(new GatewayChild(name, { port, operatorPort, file, launcher, program }));
  }
  const read = (name: string): string[][] => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    return lines.map((line) => line.split(" "));
  };
  const post: Site["post"] = (where, path, body, headers = {}) =>
    fetch(`${gateways[where]?.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${TOKEN}`,
        ...headers,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(40_000),
    });
  const ask = async (
    where: number,
    asked: { server: string; method: string; id: string; params: { name?: string; _meta: object } },
  ): Promise<string> => {
    const { server, method, id, params } = asked;
    const answer = await post(
      where,
      `/servers/${server}/mcp`,
      { jsonrpc: "2.0", id, method, params },
      {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(params.name !== undefined && { "mcp-name": params.name }),
      },
    );
    return answer.text();
  };
  const site: Site = {
    gateways,
    modern,
    folder,
    post,
    request: async (where, server, method, params) =>
      JSON.parse(await ask(where, { server, method, params: { _meta: META, ...params }, id: "1" })),
    call: async (where, server, call, given = {}) => {
      const params = { _meta: META, name: "count", arguments: { call, ...given } };
      const before = performance.now();
      const asking = ask(where, { server, method: "tools/call", params, id: call });
      const outcome = await asking.then(
        outcomeOf,
        // The gateway was lost, so the outcome of the call is unknown.
        (error: Error) => (isRefusedConnection(error) ? "refused-connection" : "connection-lost"),
      );
      return { outcome, time: performance.now() - before };
    },
    calls: () =>
      read("calls").map(([pid, call = "", at]) => ({ process: Number(pid), call, at: Number(at) })),
    lives: () => {
      const lives = new Map<number, { process: number; from: number; to: number }>();
      for (const [pid, time] of read("lives")) {
        const [number, at] = [Number(pid), Number(time)];
        const life = lives.get(number) ?? { process: number, from: at, to: at };
        life.to = at;
        lives.set(number, life);
      }
      return [...lives.values()];
    },
    audit: async () => {
      const run = async (
        ...words: string[]
      ): Promise<{ code: number | undefined; said: string }> => {
        let said = "";
        const print = (text: string): void => {
          said += text;
        };
        const { file } = gateways[0] as GatewayChild;
        const code = await runCommand(["audit", ...words, "--config", file], {
          ...{ environment: {}, out: print, err: print, onStart: () => {} },
          signal: AbortSignal.timeout(180_000),
        });
        return { code, said };
      };
      const { code, said } = await run("verify");
      const records = (await run("export")).said.split("\n").filter(Boolean);
      const answered = new Set<string>();
      for (const record of records) {
        const { event, result } = JSON.parse(record);
        const { structuredContent } = Object(result) as { structuredContent?: { call?: string } };
        if (event !== "request" && structuredContent?.call) answered.add(structuredContent.call);
      }
      return { isWhole: code === 0, said: said.trim(), answered };
    },
    close: async () => {
      await Promise.all(gateways.map((gateway) => gateway.end("SIGKILL")));
      modern.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await Promise.all(gateways.map((gateway) => gateway.start({ tries: 3 })));
    return site;
  } catch (error) {
    await site.close();
    throw error;
  }
}

/** The nodes, starting with a different one for each gateway. */
function rotated(urls: readonly string[], place: number): string[] {
  return [...urls.slice(place), ...urls.slice(0, place)];
}

function outcomeOf(text: string): string {
  const { error } = JSON.parse(text.startsWith("{") ? text : "{}");
  if (!text.startsWith("{")) return "connection-lost";
  return error ? (error.data?.reason ?? `error ${error.code}`) : "answered";
}

function isRefusedConnection(error: Error): boolean {
  return (error.cause as { code?: string } | undefined)?.code === "ECONNREFUSED";
}
