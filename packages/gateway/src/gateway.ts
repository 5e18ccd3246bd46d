// A gateway put together: carriers in front, the pipeline in the middle, servers behind.

// Node begins to follow async contexts when somebody first asks for them, as any library may while the process
// runs. What V8 had compiled of timers and ticks by then costs each call 2 to 4 % more instructions ever
// after; so they are asked for before anything runs.
import "node:async_hooks";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import {
  CONNECTION_LIMITS,
  ConnectionGuard,
  type ConnectionLimits,
} from "./carriers/connection-guard.ts";
import { createHttpCarrier } from "./carriers/http.ts";
import { createWebSocketCarrier, type WebSocketCarrier } from "./carriers/websocket.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { isLoopbackHost } from "./config/config.ts";
import type { Engine } from "./engine/engine.ts";
import { createGrants, type Grants } from "./grants.ts";
import type { Authenticate } from "./identity/user-token.ts";
import type { Tickets } from "./identity/view-ticket.ts";
import { createAdmission, type TurnedAway } from "./pipeline/admission.ts";
import { createForwarder } from "./pipeline/forwarding.ts";
import { argumentNamesLink } from "./pipeline/links/argument-names.ts";
import { argumentsLink } from "./pipeline/links/arguments.ts";
import { consentLink } from "./pipeline/links/consent.ts";
import { envelopeLink } from "./pipeline/links/envelope.ts";
import { frameLink } from "./pipeline/links/frame.ts";
import { membersLink } from "./pipeline/links/members.ts";
import { methodLink } from "./pipeline/links/method.ts";
import { mirrorLink } from "./pipeline/links/mirror.ts";
import { RATE_LIMITS, type RateLimits, rateLink, type TenantLimit } from "./pipeline/links/rate.ts";
import { resourceLink } from "./pipeline/links/resource.ts";
import { visibilityLink } from "./pipeline/links/visibility.ts";
import { createPipeline, type Pipeline, type Witness } from "./pipeline/pipeline.ts";
import { createSchemaCheck } from "./pipeline/schema-check.ts";
import { TRAFFIC_LIMITS, Traffic, type TrafficLimits } from "./pipeline/traffic.ts";
import { DocumentStore } from "./resources/document-store.ts";
import { createUiResources } from "./resources/ui-resources.ts";
import type { ServerBinding, ServerSettings } from "./servers.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { ownRequest, QUIET_IDENTITY } from "./upstreams/frames/envelope.ts";
import type { Upstream } from "./upstreams/upstream.ts";
import { createViews } from "./views.ts";

/** What a gateway is made of. */
export interface GatewayOptions {
  engine: Engine;
  servers: Readonly<Record<string, { upstream: Upstream; settings?: Partial<ServerSettings> }>>;
  /** Names it is called by; those of a loopback address it listens on are added. */
  hosts?: readonly string[];
  /** Origins of the Hosts' pages. */
  origins: readonly string[];
  authenticate: Authenticate;
  tickets: Tickets;
  witness: Witness;
  /** Hears of those who were not let in, of whom no witness can. */
  onTurnedAway?(who: TurnedAway): void;
  limits?: {
    rates?: RateLimits;
    /** Bytes of one message. */
    message?: number;
    /** Bytes of the Views' documents that are kept for each server. */
    documents?: number;
    /** WebSockets of one address. */
    acceptsPerSecond?: number;
    connections?: Partial<ConnectionLimits>;
    /** Milliseconds for an HTTP request to arrive. */
    requestTime?: number;
    /** Sockets and bytes of bodies; the rest follows from `rates`. */
    traffic?: Partial<Omit<TrafficLimits, "userPerMinute" | "userAtOnce">>;
    /** What a tenant may use in all processes together. */
    tenants?: TenantLimit | undefined;
  };
  /** Milliseconds since the engine last answered, where several processes share it. */
  silence?: (() => number) | undefined;
}

/** A gateway. */
export interface Gateway {
  readonly http: FastifyInstance;
  readonly pipeline: Pipeline;
  readonly grants: Grants;
  /** Views that are connected. */
  readonly views: number;
  listen(address: { host?: string; port: number }): Promise<{ url: string; port: number }>;
  /** Puts a server in or in the place of one; nothing takes it out. */
  setServer(id: string, server?: { upstream: Upstream; settings?: Partial<ServerSettings> }): void;
  /** Breaks every connection of a View; each comes back by itself. */
  dropViews(): void;
  /** Lets what is under way come to its end, then closes; idempotent. */
  close(options?: { drain?: number }): Promise<void>;
}

const SETTINGS: ServerSettings = { consent: "ask", deadline: 60_000, views: "allow" };
const MESSAGE = 2 ** 20;
const DRAIN = 10_000;

/** Makes a gateway; it answers after `listen`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { engine, tickets, witness, origins, onTurnedAway, limits = {} } = options;
  const bindings = new Map<string, ServerBinding>();
  const hosts = new Set(options.hosts?.map((name) => name.toLowerCase()));
  const resources = createUiResources();
  const documents = new DocumentStore(engine, { keepBytes: limits.documents });
  const subscriptions = createSubscriptions();
  const grants = createGrants(engine, { silence: options.silence });
  const message = limits.message ?? MESSAGE;
  const schemas = createSchemaCheck();
  const { userPerMinute, userAtOnce } = limits.rates ?? RATE_LIMITS;
  const traffic = new Traffic(
    { ...TRAFFIC_LIMITS, ...limits.traffic, userPerMinute, userAtOnce },
    message,
  );
  const connections = new ConnectionGuard({ ...CONNECTION_LIMITS, ...limits.connections });

  // The order is the policy. A new check is a new line here, for every caller and carrier.
  const pipeline = createPipeline(
    [
      frameLink({ size: message }),
      // Before the checks that cost more: refused requests count as well.
      rateLink(limits.rates, { tenants: limits.tenants }),
      membersLink,
      methodLink,
      envelopeLink,
      visibilityLink,
      argumentNamesLink,
      mirrorLink,
      resourceLink,
      argumentsLink(schemas),
      consentLink(grants),
    ],
    { forwarder: createForwarder({ resources, subscriptions }), witness },
  );
  const setServer: Gateway["setServer"] = (id, server) => {
    const before = bindings.get(id);
    if (before && before.upstream !== server?.upstream) void before.upstream.close();
    resources.invalidate(id);
    if (!server) {
      bindings.delete(id);
      if (before) sockets.drop((bound) => bound === before);
      return;
    }
    const settings = { ...SETTINGS, ...server.settings };
    const { upstream } = server;
    const next = { id, settings, upstream, catalogue: catalogueOf(upstream, settings) };
    const binding = Object.assign(before ?? next, next);
    bindings.set(id, binding);
    if (before) subscriptions.move(binding);
  };
  const servers = { get: (id: string) => bindings.get(id) };
  const admission = createAdmission({ ...options, hosts, servers });
  const views = createViews({ engine, tickets, resources, documents, pipeline });
  const http = createHttpCarrier({
    admission,
    pipeline,
    views,
    grants,
    origins,
    onTurnedAway,
    traffic,
    bodyLimit: message,
    connections,
    requestTime: limits.requestTime,
  });
  const sockets: WebSocketCarrier = createWebSocketCarrier({
    admission,
    pipeline,
    subscriptions,
    onTurnedAway,
    traffic,
    connections,
    maxPayload: message,
    ...(limits.acceptsPerSecond && { acceptsPerSecond: limits.acceptsPerSecond }),
  });
  http.server.on("upgrade", sockets.upgrade);
  for (const [id, server] of Object.entries(options.servers)) setServer(id, server);
  let closing: Promise<void> | undefined;

  return {
    http,
    pipeline,
    grants,
    setServer,
    dropViews: () => sockets.drop(),
    get views() {
      return sockets.size;
    },
    listen: async ({ host = "127.0.0.1", port }) => {
      await http.listen({ host, port });
      const bound = portOf(http.server);
      // By these names a loopback gateway is called; any other has to be configured (G125).
      const names = isLoopbackHost(host) ? ["localhost", "127.0.0.1", "[::1]"] : [];
      for (const name of names) hosts.add(`${name}:${bound}`);
      return { url: `http://localhost:${bound}`, port: bound };
    },
    close: ({ drain = DRAIN } = {}) => {
      closing ??= (async () => {
        // Node no longer times requests out once it closes: what doesn't end in its time is cut off.
        const cut = setTimeout(() => http.server.closeAllConnections(), drain);
        await sockets.drain(drain);
        sockets.close();
        subscriptions.close();
        await http.close();
        clearTimeout(cut);
        grants.close();
        await schemas.close();
        await Promise.all([...bindings.values()].map(({ upstream }) => upstream.close()));
      })();
      return closing;
    },
  };
}

function catalogueOf(upstream: Upstream, { deadline }: ServerSettings): Catalogue {
  let id = 0;
  return createCatalogue(async (method, cursor, { tenant, user }) => {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await upstream.send({
      message: ownRequest(`catalogue-${++id}`, method, QUIET_IDENTITY, params),
      // Nobody's signal: others may wait for the same answer.
      signal: AbortSignal.timeout(deadline),
      deadline,
      scope: { tenant, user },
    });
    return "result" in answer.message
      ? (Object(answer.message.result) as Record<string, unknown>)
      : {};
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
