// What an operator writes, after the defaults of `schema/config.schema.json` are in it.

/** Who may come in. */
export type AuthConfig =
  | { mode: "dev"; token?: string }
  | { mode: "jwt"; issuer: string; audience: string; jwks: string; tenantClaim?: string };

/** Each user's own log-in to a server. */
export interface OAuthConfig {
  issuer?: string;
  clientId?: string;
  clientSecret?: string;
  scopes?: string[];
}

/** One MCP server: at an address, or a program. */
export interface ServerConfig {
  url?: string;
  private: boolean;
  transport: "http" | "sse";
  era: "auto" | "modern" | "legacy";
  headers?: Record<string, string>;
  oauth?: OAuthConfig;
  command?: string[];
  cwd?: string;
  /** Who the process runs as: a name, a number, or numbers of user and group. */
  user?: string;
  env?: Record<string, string>;
  passEnv?: string[];
  sharing: "user" | "tenant" | "all";
  consent: "ask" | "always" | "host";
  views: "allow" | "deny";
  deadline: number;
  atOnce: number;
  tenantAtOnce?: number;
  userAtOnce?: number;
}

/** The Sandbox in the same process. */
export interface SandboxSettings {
  tier: "localhost" | "domain";
  host: string;
  port: number;
  domain?: string;
}

/** Where state is kept; all but `driver`, `folder` and `maxLogBytes` is for NATS. */
export interface EngineConfig {
  driver: "memory" | "file" | "nats";
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

/** Where heads of the audit chain are written to: a file or an address. */
export interface AnchorConfig {
  file?: string;
  url?: string;
  token?: string;
  seconds: number;
}

/** What a process does where several share an engine. */
export type Role = "edge" | "runner" | "archiver";

/** The whole of it. */
export interface GatewayConfig {
  listen: { host: string; port: number; hosts: string[]; publicUrl?: string };
  origins: string[];
  auth: AuthConfig;
  tickets: { lifetime: number };
  /** One file for each root key; next to the data of a file engine unless set. */
  keys: { folder?: string };
  engine: EngineConfig;
  servers: Record<string, ServerConfig>;
  limits: {
    message: number;
    viewPerMinute: number;
    userPerMinute: number;
    serverPerMinute: number;
    tenantPerMinute?: number;
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
    anchor?: AnchorConfig;
  };
  documents: { keepDays: number; keepBytes: number };
  cluster: { roles: Role[] };
  sandbox?: SandboxSettings;
  operator?: { host: string; port: number; token?: string };
  telemetry: { log: "silent" | "error" | "warn" | "info" | "debug"; traces: boolean };
  drain: { delay: number; time: number };
}

/** Whether others than the one developer of mode dev use it, so that servers must not reach its secrets. */
export function isSharedGateway({ auth }: Pick<GatewayConfig, "auth">): boolean {
  return auth.mode !== "dev";
}

/** Addresses that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
