import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveStation2 } from "@vitrine/internal/station-servers";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/observability/log.ts";
import { createScrubber } from "../../src/observability/scrubber.ts";
import { createKeyFiles } from "../../src/service/key-files.ts";
import { type Service, startService } from "../../src/service/service.ts";
import { type Json, META } from "../stage.ts";

export const TOKEN = "CANARY-gateway-token-0123456789abcdef";

/** A gateway of a configuration file, with a weather station behind it. */
export interface ServiceStage extends AsyncDisposable {
  service: Service;
  folder: string;
  file: string;
  station: Awaited<ReturnType<typeof serveStation2>>;
  /** Lines of the log, read. */
  log: Json[];
  /** The same as they were written. */
  logText(): string;
  /** Writes the configuration again. */
  write(config: object | string): Promise<void>;
  /** The configuration it was started with. */
  config: Record<string, Json>;
  post(
    method: string,
    params?: object,
    more?: { server?: string; headers?: Record<string, string>; token?: string; body?: string },
  ): Promise<{ status: number; body: Json; text: string }>;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

let keys: Promise<string> | undefined;

/** One folder of keys for all gateways of a test file, as gateways on NATS have it. */
function sharedKeys(): Promise<string> {
  const create = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-shared-keys-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    await createKeyFiles(folder);
    return folder;
  };
  keys ??= create();
  return keys;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function openServiceStage(
  more: Record<string, Json> = {},
  options: { folder?: string; environment?: Record<string, string> } = {},
): Promise<ServiceStage> {
  const station = await serveStation2();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "vitrine-service-")));
  const file = join(folder, "gateway.yaml");
  const config = {
    listen: { port: 0 },
    auth: { token: TOKEN },
    origins: ["https://chat.example"],
    operator: { port: 0 },
    ...(more.engine?.driver === "nats" && { keys: { folder: await sharedKeys() } }),
    ...more,
    servers: more.servers ?? { station: { url: station.url.href, private: true } },
  };
  const write = (text: object | string): Promise<void> =>
    writeFile(file, typeof text === "string" ? text : stringify(text), { mode: 0o600 });
  await write(config);
  const lines: string[] = [];
  const loaded = await loadConfig(file, options.environment ?? {});
  let scrubber = createScrubber(loaded.secrets);
  const log = createLog({
    level: loaded.config.telemetry.log,
    scrubber: () => scrubber,
    destination: { write: (line) => void lines.push(line) },
  });
  const service = await startService(loaded, {
    log,
    environment: options.environment ?? {},
    interval: 50,
    onScrubber: (next) => {
      scrubber = next;
    },
  }).catch(async (error) => {
    await station[Symbol.asyncDispose]();
    throw error;
  });
  return {
    service,
    folder,
    file,
    station,
    config,
    write,
    get log() {
      return lines.map((line) => JSON.parse(line));
    },
    logText: () => lines.join(""),
    post: async (method, params = {}, given = {}) => {
      const { server = "station", headers = {}, token = TOKEN, body } = given;
      const { name, uri } = params as { name?: string; uri?: string };
      const request = { jsonrpc: "2.0", id: 1, method, params: { _meta: META, ...params } };
      const answer = await fetch(`${service.url}/servers/${server}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...((name ?? uri) && { "mcp-name": (name ?? uri) as string }),
          authorization: `Bearer ${token}`,
          ...headers,
        },
        body: body ?? JSON.stringify(request),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        text,
        body: text.startsWith("{") ? JSON.parse(text) : undefined,
      };
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await station[Symbol.asyncDispose]();
      if (!options.folder) await rm(folder, { recursive: true, force: true });
    },
  };
}
