// The operator's configuration, with the defaults of `schema/config.schema.json` filled in.

import type { IsolationConfig, ProcessesConfig } from "./isolation-config.ts";

/** How users authenticate. */
export type AuthConfig =
  | { mode: "dev"; token?: string }
  | ({ mode: "jwt"; scopes: string[]; enterprise?: EnterpriseConfig } & Partial<IssuerConfig> & {
        issuers?: IssuerConfig[];
      });

/** Assertions of companies' identity providers that the gateway exchanges for its own access tokens. */
export interface EnterpriseConfig {
  /** Each has its own tenants. */
  issuers: Omit<IssuerConfig, "audience">[];
  clients: { id: string; secret?: string }[];
  /** Lifetime of an access token in seconds. */
  lifetime: number;
}

/** An identity provider. */
export interface IssuerConfig {
  issuer: string;
  audience?: string;
  jwks?: string;
  tenant?: string;
  tenantClaim?: string;
  tenants?: string[];
  groupsClaim?: string;
}

/** OAuth login of each user to a server. */
export interface OAuthConfig {
  issuer?: string;
  clientId?: string;
  clientSecret?: string;
  scopes?: string[];
}

/** How a server learns who a call is for. */
export interface IdentityConfig {
  kind: "assertion" | "exchange" | "client-credentials";
  /** Defaults to the server's url. */
  audience?: string;
  /** For assertion. */
  header?: string;
  groups?: boolean;
  /** For the others. */
  tokenEndpoint?: string;
  clientId?: string;
  clientSecret?: string;
  scopes?: string[];
}

/** One MCP server: a URL or a command. */
export interface ServerConfig {
  url?: string;
  private: boolean;
  transport: "http" | "sse";
  era: "auto" | "modern" | "legacy";
  headers?: Record<string, string>;
  oauth?: OAuthConfig;
  identity?: IdentityConfig;
  command?: string[];
  cwd?: string;
  /** The user that the process runs as: a name, a number, or the numbers of user and group. */
  user?: string;
  env?: Record<string, string>;
  passEnv?: string[];
  isolation?: IsolationConfig;
  processes?: ProcessesConfig;
  sharing: "user" | "tenant" | "all";
  /** The issuers whose users may use it. All by default. */
  issuers?: string[];
  /** Scopes that a token for it needs in addition to `auth.scopes`. */
  scopes?: string[];
  consent: "ask" | "always" | "host";
  views: "allow" | "deny";
  /** What happens to tools that the server adds or changes. */
  toolChanges: "report" | "hold";
  deadline: number;
  atOnce: number;
  tenantAtOnce?: number;
  userAtOnce?: number;
}

/** The Sandbox in the gateway's process. */
export interface SandboxSettings {
  tier: "localhost" | "domain";
  host: string;
  port: number;
  domain?: string;
  registration?: "credential" | "anonymous";
}

/** Where state is stored. All settings but `driver`, `folder` and `maxLogBytes` are for NATS. */
export interface EngineConfig {
  driver: "memory" | "sqlite" | "nats";
  folder?: string;
  maxLogBytes?: number;
  servers?: string[];
  node?: string;
  prefix?: string;
  replicas?: 1 | 3 | 5;
  login?: { user?: string; password?: string; token?: string; credsFile?: string };
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
}

/** Where audit records are copied to. */
export interface ArchiveConfig {
  folder: string;
  rotateBytes: number;
  rotateHours: number;
}

/** A place outside that receives audit records. Which settings apply depends on the kind. */
export interface SinkConfig {
  kind: "syslog" | "otlp" | "ocsf" | "s3";
  /** Its position is stored under this name. Defaults to the kind. */
  name?: string;
  url: string;
  headers?: Record<string, string>;
  caFile?: string;
  bucket?: string;
  prefix?: string;
  region?: string;
  accessKey?: string;
  secretKey?: string;
  retentionDays?: number;
}

/** The collector that traces and metrics are sent to. */
export interface OtlpConfig {
  url: string;
  headers?: Record<string, string>;
  sample: number;
  metrics: boolean;
  seconds: number;
}

/** Where the heads of the audit chain are written: a file or a URL. */
export interface AnchorConfig {
  file?: string;
  url?: string;
  token?: string;
  seconds: number;
}

/** A limit on tool calls. */
export interface QuotaConfig {
  name: string;
  tenant?: string;
  group?: string;
  user?: string;
  server?: string;
  tool?: string;
  perMinute?: number;
  perDay?: number;
  atOnce?: number;
}

/** The roles of a process in a cluster. */
export type Role = "edge" | "runner" | "archiver";

/** The admin port. */
export interface AdminConfig {
  host: string;
  port: number;
  hosts: string[];
  /** The address as browsers see it, for which tokens are issued. */
  publicUrl?: string;
  token?: string;
  /** The identity provider of the operators. Needed if there are several. */
  issuer?: string;
  /** The address of an MCP registry. The official one by default. */
  registry?: string;
  /** Names of the form `group:TENANT/NAME` and `user:TENANT/NAME`. */
  roles: { viewer: string[]; operator: string[] };
}

/** The complete configuration. */
export interface GatewayConfig {
  listen: {
    host: string;
    port: number;
    hosts: string[];
    publicUrl?: string;
    trustedProxies?: string[];
  };
  origins: string[];
  /** The proxy for connections to the internet. */
  outbound?: { proxy: string; user?: string; password?: string; direct: string[] };
  auth: AuthConfig;
  /** Access policies. Without them, every user may use every server. */
  policy?: { folder: string; mode: "enforce" | "log" };
  tickets: { lifetime: number };
  /** The folder with one file per root key. Defaults to a folder next to the engine's data. */
  keys: { folder?: string };
  engine: EngineConfig;
  isolation?: IsolationConfig;
  servers: Record<string, ServerConfig>;
  limits: {
    message: number;
    viewPerMinute: number;
    userPerMinute: number;
    serverPerMinute: number;
    tenantPerMinute?: number;
    quotas: QuotaConfig[];
    userAtOnce: number;
    acceptsPerSecond: number;
    connections: number;
    connectionsPerAddress: number;
    requestTime: number;
    bodyBytes: number;
    ticketSockets: number;
    userSockets: number;
    tenantSockets: number;
  };
  audit: {
    level: "meta" | "digest" | "full";
    mode: "spool" | "wait";
    onFull: "reject" | "drop-bodies";
    keepDays?: number;
    keepBytes?: number;
    archive?: ArchiveConfig;
    sinks: SinkConfig[];
    anchor?: AnchorConfig;
  };
  documents: { keepDays: number; keepBytes: number };
  cluster: { roles: Role[] };
  sandbox?: SandboxSettings;
  operator?: { host: string; port: number; token?: string };
  admin?: AdminConfig;
  telemetry: {
    log: "silent" | "error" | "warn" | "info" | "debug";
    traces: boolean;
    otlp?: OtlpConfig;
  };
  drain: { delay: number; time: number };
}

/** The identity providers: the list, or the one that is written in `auth` itself. */
export function issuersOf({ auth }: Pick<GatewayConfig, "auth">): IssuerConfig[] {
  if (auth.mode === "dev") return [];
  const { mode: _mode, scopes: _scopes, enterprise: _own, issuers, issuer, ...one } = auth;
  return issuers ?? (issuer === undefined ? [] : [{ issuer, ...one }]);
}

/** Whether several users share the gateway, so that servers must not be able to read its secrets. */
export function isSharedGateway({ auth }: Pick<GatewayConfig, "auth">): boolean {
  return auth.mode !== "dev";
}

/** Whether an address is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
