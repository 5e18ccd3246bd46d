// What the admin API returns. Every text in it may come from a hostile server or user.

/** The signed-in administrator. */
export interface Session {
  name: string;
  role: "viewer" | "operator";
  gateway: { version: string; node: string };
}

export interface GatewayNode {
  node: string;
  version: string;
  roles: string[];
  startedAt: number | string;
  views: number;
  problems: string[];
}

export interface Overview {
  gateways: GatewayNode[];
  /** Gateways that didn't answer in time. */
  silent?: string[];
  servers: Record<ServerState, number>;
  views: number;
  calls: number;
  pendingTools: number;
  pendingApprovals: number;
  deniedLastHour: number;
}

export type ServerState = "up" | "down" | "unknown" | "paused";

export interface ServerRow {
  id: string;
  kind: "http" | "stdio";
  state: ServerState;
  version?: string;
  protocol?: string;
  tools: number;
  pendingTools: number;
  views: number;
  calls: number;
  error?: string;
  checkedAt?: number | string;
  source?: "config" | "registry";
  /** What happens to tools that are new or changed: calls go on, or wait for approval. */
  toolChanges?: "report" | "hold";
  paused?: { at: number | string; by: string; reason?: string };
}

export type Approval = "approved" | "new" | "changed" | "removed";

export interface ToolRow {
  name: string;
  title?: string;
  description?: string;
  annotations?: Record<string, unknown>;
  visibility?: string[] | string;
  approval: Approval;
  hash: string;
  /** Definitions as JSON text; a very long one is cut off. */
  before?: string;
  after?: string;
}

export interface ServerDetails extends ServerRow {
  toolList: ToolRow[];
}

export interface ViewRow {
  id: string;
  tenant: string;
  user: string;
  server: string;
  resource: string;
  node: string;
  openedAt: number | string;
  calls: number;
  expires?: number | string;
}

export interface CallRow {
  id: string;
  tenant: string;
  user: string;
  server: string;
  tool: string;
  party: string;
  node: string;
  startedAt: number | string;
}

export interface GrantRow {
  tenant: string;
  user: string;
  server: string;
  tool: string;
  scope: string;
  givenAt?: number | string;
}

export interface UserRow {
  tenant: string;
  user: string;
  lastSeen?: number | string;
  views: number;
  grants: number;
  logins: number;
  isBlocked: boolean;
}

/** What off-boarding ended. */
export interface OffBoarded {
  views: number;
  grants: number;
  approvals: number;
  logins: string[];
  /** Steps that failed. */
  failed: string[];
}

export interface ApprovalRow {
  id: string;
  tenant: string;
  user: string;
  server: string;
  tool: string;
  preview: unknown;
  policies: string[] | string;
  requestedAt: number | string;
  expires: number | string;
}

export interface AuditRow {
  time: string;
  event: string;
  node?: string;
  epoch?: number;
  sequence?: number;
  actor?: { tenant?: string; user?: string; view?: string };
  server?: string;
  method?: string;
  tool?: string;
  decision?: { verdict: string; link?: string; code?: string; policies?: string };
  outcome?: { kind: string; code?: string | number };
  duration?: number;
  [member: string]: unknown;
}

export interface RegistryRow {
  name: string;
  version: string;
  title?: string;
  description?: string;
  status?: string;
  remotes: { type: string; url: string; headers: string[] }[];
  packages: { type: string; identifier: string; version: string; variables: string[] }[];
}

/** The configuration of a registry's server. */
export interface ImportedServer {
  yaml: string;
  warnings: string[];
}

/** A bounded list. */
export interface List<T> {
  items: T[];
  next?: string;
  /** How many there are, if not all of them are listed. */
  total?: number;
  /** Gateways that didn't answer, so theirs are missing. */
  silent?: string[];
}
