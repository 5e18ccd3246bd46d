import { serveStation2 } from "@vitrine/internal/station-servers";
import { WebSocket } from "ws";
import { createMemoryEngine } from "../src/engine/index.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../src/gateway.ts";
import { devAuthenticator } from "../src/identity/user-token.ts";
import { createTickets } from "../src/identity/view-ticket.ts";
import type { Recorder } from "../src/policy/pipeline.ts";
import type { ServerSettings } from "../src/policy/server-binding.ts";
import { createAddressGuard, createHttpUpstream } from "../src/upstreams/index.ts";

/** A gateway before a real server. */
export interface GatewayStage extends AsyncDisposable {
  gateway: Gateway;
  url: string;
  port: number;
  /** Each refusal, as link and code. */
  refusals: string[];
  outcomes: string[];
  /** Sends one request of 2026-07-28 over HTTP. */
  post(method: string, params?: object, more?: PostOptions): Promise<Answer>;
  /** A View's ticket. */
  open(
    resource: string,
    body?: object,
    token?: string,
  ): Promise<{ ticket: string; status: number; body: Json }>;
  socket(ticket: string, headers?: Record<string, string>): Promise<TestSocket>;
}

export interface PostOptions {
  server?: string;
  /** Another address than the server's. */
  path?: string;
  headers?: Record<string, string>;
  token?: string | null;
  id?: string | number | null;
  body?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered.
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
}

export const TOKEN = "a-token-for-tests-0123456789abcdef";
export const ORIGIN = "https://chat.example";
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** How a stage differs from the usual one. */
export interface StageOptions extends Partial<GatewayOptions> {
  settings?: Partial<ServerSettings>;
  port?: number;
}

/** Starts both; the server is the weather station unless others are given. */
export async function openStage({
  settings = {},
  port: wanted = 0,
  ...options
}: StageOptions = {}): Promise<GatewayStage> {
  const station = options.servers ? undefined : await serveStation2();
  const refusals: string[] = [];
  const outcomes: string[] = [];
  const recorder: Recorder = {
    admit: () => undefined,
    refused: (_exchange, link, { code }) => void refusals.push(`${link} ${code}`),
    answered: (_exchange, { kind, code }) => void outcomes.push(code ?? kind),
  };
  const servers = options.servers ?? {
    station: { upstream: upstreamTo(station?.url as URL), settings },
  };
  const engine = options.engine ?? createMemoryEngine();
  const gateway = createGateway({
    engine,
    origins: [ORIGIN],
    authenticate: devAuthenticator(TOKEN),
    tickets: createTickets({ keys: [{ id: "a", secret: new Uint8Array(32).fill(7) }] }),
    recorder,
    ...options,
    servers,
  });
  const { url, port } = await gateway.listen({ port: wanted });
  const [first = ""] = Object.keys(servers);

  const post: GatewayStage["post"] = async (method, params = {}, more = {}) => {
    const { server = first, headers = {}, token = TOKEN, id = 1, body } = more;
    const { path = `/servers/${server}/mcp` } = more;
    const { name, uri } = params as { name?: string; uri?: string };
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...((name ?? uri) && { "mcp-name": (name ?? uri) as string }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body:
        body ??
        JSON.stringify({
          jsonrpc: "2.0",
          ...(id !== null && { id }),
          method,
          params: { _meta: META, ...params },
        }),
    });
    return readAnswer(answer);
  };

  return {
    gateway,
    url,
    port,
    refusals,
    outcomes,
    post,
    open: async (resource, body = {}, token = TOKEN) => {
      const answer = await fetch(`${url}/servers/${first}/views`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ resource, ...body }),
      });
      const read = await readAnswer(answer);
      return { ticket: read.body?.ticket, status: read.status, body: read.body };
    },
    socket: (ticket, headers = {}) => openSocket(`${url}/servers/${first}/mcp`, ticket, headers),
    [Symbol.asyncDispose]: async () => {
      await gateway.close({ drain: 0 });
      await engine.close();
      await station?.[Symbol.asyncDispose]();
    },
  };
}

/** The way to a server on this machine. */
export function upstreamTo(url: URL): ReturnType<typeof createHttpUpstream> {
  const guard = createAddressGuard({ exempt: [url.host] });
  return createHttpUpstream({ id: "station", url: url.href, guard });
}

async function readAnswer(answer: Response): Promise<Answer> {
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, headers: answer.headers, text, body: isJson && JSON.parse(text) };
}

/** A socket of a View's Host, on the bare wire. */
export class TestSocket {
  readonly socket: WebSocket;
  readonly received: Json[] = [];
  closed: number | undefined;
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.received.push(JSON.parse(`${data}`)));
    socket.on("close", (code) => {
      this.closed = code;
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  async request(method: string, params: object = {}): Promise<Json> {
    const id = `r${++this.#lastId}`;
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.until((message) => message.id === id);
  }

  async until(isWanted: (message: Json) => boolean, time = 20_000): Promise<Json> {
    const end = performance.now() + time;
    while (performance.now() < end) {
      const found = this.received.find(isWanted);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`Nothing like that in ${JSON.stringify(this.received).slice(0, 500)}`);
  }
}

async function openSocket(
  url: string,
  ticket: string,
  headers: Record<string, string>,
): Promise<TestSocket> {
  const protocols = ["vitrine.mcp.v1", `ticket.${ticket}`];
  const socket = new WebSocket(url.replace("http", "ws"), protocols, { headers });
  const opened = new TestSocket(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, response) => {
      reject(new Error(`HTTP ${response.statusCode}`));
    });
    socket.once("error", reject);
  });
  return opened;
}
