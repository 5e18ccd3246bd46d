import { createSealer } from "../../src/crypto/sealing.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createMemoryEngine, sealEngine } from "../../src/engine/index.ts";
import {
  createOAuthServer,
  type OAuthServer as Server,
} from "../../src/identity/credentials/authority.ts";
import { type Credentials, createCredentials } from "../../src/identity/credentials/credentials.ts";
import type { LoginLimits } from "../../src/identity/credentials/login-limits.ts";
import {
  createAddressGuard,
  createHttpUpstream,
  type Upstream,
} from "../../src/upstreams/index.ts";
import { OAuthServer, type ProtectedStation, serveProtectedStation } from "./oauth-server.ts";

export const PUBLIC_URL = "http://127.0.0.1:8090";
export const PAGE = "https://chat.example";
export const ANNA = { tenant: "t", user: "anna" };
export const BERT = { tenant: "t", user: "bert" };
export const KEYS = [{ id: "k1", secret: new Uint8Array(32).fill(1) }];

/** An authorization server, a server that trusts it, and the gateway's logins. */
export interface CredentialStage extends AsyncDisposable {
  authority: OAuthServer;
  station: ProtectedStation;
  engine: Engine;
  /** What the engine stores, as someone sees it who has no key. */
  store: Engine;
  credentials: Credentials;
  server: Server;
  upstream: Upstream;
  /** Another process of the same gateway. */
  another(): { credentials: Credentials; upstream: Upstream };
  /** All three steps. */
  login(user?: typeof ANNA): Promise<void>;
  call(user?: typeof ANNA, upstream?: Upstream): Promise<string>;
}

export async function openCredentialStage(
  options: { clock?: () => number; id?: string; limits?: Partial<LoginLimits> } = {},
): Promise<CredentialStage> {
  const { clock = Date.now, id = "station" } = options;
  const authority = await new OAuthServer().listen();
  const station = await serveProtectedStation(authority);
  const store = createMemoryEngine();
  const sealer = createSealer(KEYS, { purpose: "store" });
  const engine = sealEngine(store, { sealer });
  const guard = createAddressGuard({ exempt: [station.host, authority.host] });
  const make = () => {
    const server = createOAuthServer({ id, url: station.url, oauth: {}, guard });
    const credentials = createCredentials({
      engine,
      keys: KEYS,
      publicUrl: PUBLIC_URL,
      origins: [PAGE],
      clock,
      ...(options.limits && { limits: options.limits }),
    });
    const http = createHttpUpstream({ id, url: station.url, guard, relisten: 50 });
    return { server, credentials, upstream: credentials.wrap(http, server, { sessions: http }) };
  };
  const own = make();
  const all = [own];
  let lastId = 0;
  return {
    authority,
    station,
    engine,
    store,
    ...own,
    another: () => {
      const other = make();
      all.push(other);
      return other;
    },
    login: async (user = ANNA) => {
      const { url } = await own.credentials.flow.begin(user, own.server);
      const back = await authority.open(url);
      const answer = Object.fromEntries(back.searchParams) as { state: string; code: string };
      const { confirmation = "" } = await own.credentials.flow.arrive(id, answer);
      await own.credentials.flow.confirm(user, own.server, confirmation);
    },
    call: async (user = ANNA, upstream = own.upstream) => {
      const request = {
        jsonrpc: "2.0" as const,
        id: `c${++lastId}`,
        method: "tools/call",
        params: {
          name: "forecast",
          arguments: { city: "Graz" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      };
      const answer = await upstream.send({
        message: request,
        signal: AbortSignal.timeout(10_000),
        deadline: 10_000,
        scope: user,
      });
      return JSON.stringify(answer.message);
    },
    [Symbol.asyncDispose]: async () => {
      for (const { upstream } of all) await upstream.close();
      await engine.close();
      await station[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}
