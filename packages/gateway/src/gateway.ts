// Assembles a gateway: HTTP and WebSocket endpoints, the policy pipeline, and the servers behind it.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { isLoopbackHost } from "./config/config.ts";
import { withoutBasePath } from "./edge/base-path.ts";
import { createClientAddresses } from "./edge/client-address.ts";
import { addCombinedEndpoint } from "./edge/combined-endpoint.ts";
import {
  CONNECTION_LIMITS,
  ConnectionGuard,
  type ConnectionLimits,
} from "./edge/connection-guard.ts";
import { createHttpDrain } from "./edge/http-drain.ts";
import { createHttpEndpoint, type SandboxCredentials } from "./edge/http-endpoint.ts";
import { addReceipts } from "./edge/receipts.ts";
import { addResourceMetadata } from "./edge/resource-metadata.ts";
import { addServerList } from "./edge/server-list.ts";
import {
  createWebSocketEndpoint,
  type LiveView,
  type WebSocketEndpoint,
} from "./edge/websocket-endpoint.ts";
import type { Engine } from "./engine/engine.ts";
import {
  createProtectedResources,
  type ProtectedResources,
  type ProtectedResourcesOptions,
} from "./identity/protected-resources.ts";
import { createRevocations, type Revocations } from "./identity/revocations.ts";
import type { Authenticate } from "./identity/user-token.ts";
import type { Tickets } from "./identity/view-ticket.ts";
import { createAdmission, type RejectedAttempt } from "./policy/admission.ts";
import { type Access, maySeeServer, OPEN_ACCESS } from "./policy/authorization/access.ts";
import type { Caller } from "./policy/caller.ts";
import { allowedMethodsCheck } from "./policy/checks/allowed-methods.ts";
import { approvalCheck } from "./policy/checks/approval.ts";
import { argumentNamesCheck } from "./policy/checks/argument-names.ts";
import { argumentSchemaCheck } from "./policy/checks/argument-schema.ts";
import { authorizationCheck } from "./policy/checks/authorization.ts";
import { consentCheck } from "./policy/checks/consent.ts";
import { memberNamesCheck } from "./policy/checks/member-names.ts";
import { messageShapeCheck } from "./policy/checks/message-shape.ts";
import { metaCheck } from "./policy/checks/meta.ts";
import { mirroredHeadersCheck } from "./policy/checks/mirrored-headers-check.ts";
import { quotaCheck } from "./policy/checks/quota.ts";
import {
  RATE_LIMITS,
  type RateLimits,
  rateLimitCheck,
  type TenantLimit,
} from "./policy/checks/rate-limit.ts";
import { resourceUriCheck } from "./policy/checks/resource-uri.ts";
import { onRevokedCallers, revocationCheck } from "./policy/checks/revoked-caller.ts";
import { scopesCheck } from "./policy/checks/scopes.ts";
import { visibilityCheck } from "./policy/checks/visibility.ts";
import { createCombinedServer } from "./policy/combined/combined-server.ts";
import type { Admitted } from "./policy/exchange.ts";
import { createForwarder } from "./policy/forwarder.ts";
import { createGrants, type Grants } from "./policy/grants.ts";
import { createOperatorControls, type OperatorControls } from "./policy/operator-controls.ts";
import { createPendingApprovals, type PendingApprovals } from "./policy/pending-approvals.ts";
import { createPipeline, type Pipeline, type Recorder } from "./policy/pipeline.ts";
import { createQuotas, type Quota } from "./policy/quotas.ts";
import type { Receipt } from "./policy/receipt.ts";
import { DocumentStore } from "./policy/resources/document-store.ts";
import { createUiResources } from "./policy/resources/ui-resources.ts";
import { createSchemaCheck } from "./policy/schema-check.ts";
import type { ServerBinding, ServerSettings } from "./policy/server-binding.ts";
import { catalogueOf } from "./policy/server-catalogue.ts";
import { pauseCheck } from "./policy/server-states.ts";
import { createSubscriptions } from "./policy/subscriptions.ts";
import { reviewOf } from "./policy/tool-approvals.ts";
import type { ToolDefinition } from "./policy/tool-definition.ts";
import { TRAFFIC_LIMITS, Traffic, type TrafficLimits } from "./policy/traffic.ts";
import { createViews } from "./policy/view-opener.ts";
import type { Upstream } from "./upstreams/upstream.ts";

/** The parts of a gateway. */
export interface GatewayOptions {
  engine: Engine;
  servers: Readonly<Record<string, { upstream: Upstream; settings?: Partial<ServerSettings> }>>;
  /** Accepted `Host` headers; those of a loopback address it listens on are added. */
  hosts?: readonly string[];
  /** Networks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies?: readonly string[] | undefined;
  /** Origins of the Hosts' pages. */
  origins: readonly string[];
  authenticate: Authenticate;
  /** The path of the gateway's public address, without a slash at the end. */
  basePath?: string | undefined;
  /** Publishes how clients log in (RFC 9728), and accepts tokens that were issued for one server. */
  login?: Omit<ProtectedResourcesOptions, "server"> | undefined;
  tickets: Tickets;
  /** The policies. Without them, every user may use every server. */
  access?: Access | undefined;
  recorder: Recorder;
  /** Called for each rejected connection attempt; these never reach the recorder. */
  onRejected?(who: RejectedAttempt): void;
  /** Called with what the hosts' pages report about their Views. Without it, they can't report. */
  onReceipt?(from: Admitted, receipt: Receipt): void;
  limits?: {
    rates?: RateLimits;
    /** Bytes of one message. */
    message?: number;
    /** Milliseconds that a list of the combined endpoint waits for one server. */
    listTime?: number;
    /** Bytes of View documents kept for each server. */
    documents?: number;
    /** New WebSockets a second from one address. */
    acceptsPerSecond?: number;
    connections?: Partial<ConnectionLimits>;
    /** Milliseconds for an HTTP request to arrive. */
    requestTime?: number;
    /** Sockets and bytes of request bodies; the other limits follow from `rates`. */
    traffic?: Partial<Omit<TrafficLimits, "userPerMinute" | "userAtOnce">>;
    /** Limits on tool calls by tenant, group, user, server and tool. */
    quotas?: readonly Quota[];
    /** A tenant's limit across all processes. */
    tenants?: TenantLimit | undefined;
  };
  /** The Sandbox that runs next to it. */
  sandbox?: SandboxCredentials | undefined;
  /** Milliseconds since the engine last answered, where several processes share it. */
  silence?: (() => number) | undefined;
  /** How many gateways share the engine. One by default. */
  gateways?: (() => number) | undefined;
}

/** A gateway. */
export interface Gateway extends OperatorControls {
  readonly http: FastifyInstance;
  readonly pipeline: Pipeline;
  readonly grants: Grants;
  /** Calls that wait for an administrator. */
  readonly approvals: PendingApprovals;
  readonly revocations: Revocations;
  /** The connected Views. */
  liveViews(): LiveView[];
  /** The configured servers. */
  servers(): ServerBinding[];
  readonly resources: ProtectedResources | undefined;
  /** Views that are connected. */
  readonly views: number;
  listen(address: { host?: string; port: number }): Promise<{ url: string; port: number }>;
  /** Adds or replaces a server. Pass no server to remove it. */
  setServer(id: string, server?: { upstream: Upstream; settings?: Partial<ServerSettings> }): void;
  /** Closes every View's connection; the Views reconnect. */
  dropViews(): void;
  /** Waits for running calls, then closes. Idempotent. */
  close(options?: { drain?: number }): Promise<void>;
}

const SETTINGS: ServerSettings = {
  consent: "ask",
  deadline: 60_000,
  views: "allow",
  toolChanges: "report",
};
const MESSAGE = 2 ** 20;
const DRAIN = 10_000;

/** Creates a gateway. It accepts requests after `listen`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { engine, tickets, recorder, origins, onRejected, limits = {} } = options;
  const { access = OPEN_ACCESS, onReceipt } = options;
  const bindings = new Map<string, ServerBinding>();
  const hosts = new Set(options.hosts?.map((name) => name.toLowerCase()));
  const uiResources = createUiResources();
  const documents = new DocumentStore(engine, { keepBytes: limits.documents });
  const subscriptions = createSubscriptions(access);
  const grants = createGrants(engine, { silence: options.silence });
  const approvals = createPendingApprovals(engine);
  const revocations = createRevocations(engine, { silence: options.silence });
  const { closeControls, ...controls } = createOperatorControls(engine);
  const { states, toolApprovals, endedViews, liveCalls } = controls;
  const quotas = createQuotas(engine, {
    quotas: limits.quotas ?? [],
    gateways: options.gateways,
  });
  const message = limits.message ?? MESSAGE;
  const schemas = createSchemaCheck();
  const { userPerMinute, userAtOnce } = limits.rates ?? RATE_LIMITS;
  const traffic = new Traffic(
    { ...TRAFFIC_LIMITS, ...limits.traffic, userPerMinute, userAtOnce },
    message,
  );
  const addresses = createClientAddresses(options.trustedProxies);
  const connections = new ConnectionGuard(
    { ...CONNECTION_LIMITS, ...limits.connections },
    addresses.isProxy,
  );

  const resources =
    options.login &&
    createProtectedResources({
      ...options.login,
      server: (id) => bindings.get(id)?.settings,
      servers: () => bindings.keys(),
    });
  const first = [
    messageShapeCheck({ size: message }),
    revocationCheck(revocations),
    // Before the slower checks, so that rejected requests count as well.
    rateLimitCheck(limits.rates, limits.tenants),
  ];
  // The order is the policy. A new check is a new line here, for every caller and carrier.
  const pipeline = createPipeline(
    [
      ...first,
      pauseCheck(states),
      memberNamesCheck,
      allowedMethodsCheck,
      metaCheck,
      scopesCheck(resources),
      visibilityCheck,
      argumentNamesCheck,
      mirroredHeadersCheck,
      resourceUriCheck,
      argumentSchemaCheck(schemas),
      authorizationCheck(access),
      quotaCheck(quotas),
      approvalCheck({ grants, approvals }),
      consentCheck(grants),
    ],
    {
      forwarder: liveCalls.track(
        createForwarder({ resources: uiResources, subscriptions, access }),
      ),
      recorder,
    },
  );
  const maySee = (caller: Caller, { id }: Pick<ServerBinding, "id">): boolean =>
    maySeeServer(access, caller, id) && (resources?.acceptsIssuer(caller.issuer, id) ?? true);
  const { listTime } = limits;
  const combined = createCombinedServer({
    ...{ pipeline, first, recorder, maySee, listTime },
    servers: () => bindings.values(),
  });
  const setServer: Gateway["setServer"] = (id, server) => {
    const before = bindings.get(id);
    if (before && before.upstream !== server?.upstream) void before.upstream.close();
    uiResources.invalidate(id);
    if (!server) {
      bindings.delete(id);
      if (before) sockets.drop((bound) => bound === before, { isGone: true });
      combined.serversChanged();
      return;
    }
    const settings = { ...SETTINGS, ...server.settings };
    const { upstream } = server;
    // A policy may ask at once whether a tool is approved.
    const isAwaited = settings.toolChanges === "hold" || access.authorizer !== undefined;
    const review = reviewOf(toolApprovals, id, { mode: settings.toolChanges, isAwaited });
    const catalogue = catalogueOf(upstream, settings, review);
    const isApproved = (tool: ToolDefinition): boolean => toolApprovals.isApproved(id, tool);
    const next = { id, settings, upstream, catalogue, isApproved };
    const binding = Object.assign(before ?? next, next);
    bindings.set(id, binding);
    if (before) subscriptions.move(binding);
    combined.serversChanged();
  };
  const servers = { get: (id: string) => bindings.get(id) };
  const admission = createAdmission({
    ...options,
    hosts,
    servers,
    resources,
    revocations,
    endedViews,
  });
  const views = createViews({
    ...{ engine, tickets, documents, pipeline, access, endedViews },
    resources: uiResources,
  });
  const httpDrain = createHttpDrain();
  const http = createHttpEndpoint({
    addresses,
    admission,
    pipeline: httpDrain.watch(pipeline),
    views,
    grants,
    recorder,
    origins,
    onRejected,
    traffic,
    bodyLimit: message,
    connections,
    requestTime: limits.requestTime,
    sandbox: options.sandbox,
    basePath: options.basePath,
    resources,
  });
  const guards = { traffic, connections, onRejected, bodyLimit: message, resources };
  const entry = {
    rules: { ...options, hosts, resources, revocations },
    ...guards,
  };
  addServerList(http, {
    ...entry,
    names: ({ caller }) => [...bindings.keys()].filter((id) => maySee(caller, { id })),
  });
  addCombinedEndpoint(http, { ...entry, pipeline: httpDrain.watch(combined.pipeline) });
  httpDrain.guard(http);
  if (resources) addResourceMetadata(http, resources);
  if (onReceipt) addReceipts(http, { admission, onReceipt, ...guards });
  const sockets: WebSocketEndpoint = createWebSocketEndpoint({
    addresses,
    admission,
    pipeline,
    subscriptions,
    onRejected,
    traffic,
    connections,
    maxPayload: message,
    ...(limits.acceptsPerSecond && { acceptsPerSecond: limits.acceptsPerSecond }),
  });
  http.server.on("upgrade", (request, socket, head) => {
    request.url = withoutBasePath(request.url ?? "/", options.basePath ?? "");
    sockets.upgrade(request, socket, head);
  });
  onRevokedCallers(revocations, sockets.end);
  endedViews.onEnded((view) => sockets.end(({ ticket }) => ticket?.jti === view));
  for (const [id, server] of Object.entries(options.servers)) setServer(id, server);
  let closing: Promise<void> | undefined;

  return {
    http,
    pipeline,
    grants,
    ...controls,
    liveViews: () => sockets.views(),
    servers: () => [...bindings.values()],
    approvals,
    revocations,
    resources,
    setServer,
    dropViews: () => sockets.drop(),
    get views() {
      return sockets.size;
    },
    listen: async ({ host = "127.0.0.1", port }) => {
      await http.listen({ host, port });
      const bound = portOf(http.server);
      // A loopback gateway accepts these names; any other must be configured (G125).
      const names = isLoopbackHost(host) ? ["localhost", "127.0.0.1", "[::1]"] : [];
      for (const name of names) hosts.add(`${name}:${bound}`);
      return { url: `http://localhost:${bound}`, port: bound };
    },
    close: ({ drain = DRAIN } = {}) => {
      closing ??= (async () => {
        const closeHttp = httpDrain.start(http, drain);
        await sockets.drain(drain);
        sockets.close();
        combined.close();
        subscriptions.close();
        await closeHttp();
        grants.close();
        closeControls();
        approvals.close();
        revocations.close();
        await quotas.close();
        await schemas.close();
        await Promise.all([...bindings.values()].map(({ upstream }) => upstream.close()));
      })();
      return closing;
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
