import type { Audit } from "../audit/index.ts";
import type { AuditPage, AuditQueryOptions } from "../audit/query.ts";
import type { ServerConfig } from "../config/config.ts";
import type { Gateway } from "../gateway.ts";
import type { User } from "../identity/user-token.ts";
import type { ServerReports } from "../observability/server-reports.ts";
import type { LiveState } from "./live-state.ts";
import type { Registry } from "./registry/registry-client.ts";
import type { UserDirectory } from "./user-directory.ts";

/** The upstream logins of users, as operators see them. */
export interface UserLogins {
  /** The servers that a user is logged in to. */
  of(user: User): Promise<string[]>;
  /** Deletes a user's tokens and revokes them where the issuer supports it. Returns the servers. */
  remove(user: User): Promise<string[]>;
}

/** What the admin port shows and changes. */
export interface AdminParts {
  gateway: Pick<
    Gateway,
    | "servers"
    | "states"
    | "toolApprovals"
    | "approvals"
    | "grants"
    | "endedViews"
    | "revocations"
    | "liveViews"
  >;
  live: LiveState;
  users: UserDirectory;
  logins: UserLogins;
  reports: ServerReports;
  audit: Pick<Audit, "record">;
  config(server: string): ServerConfig | undefined;
  /** Checks a server now. Resolves to false if only its users can call it. */
  check(server: string): Promise<boolean>;
  searchAudit(query: Omit<AuditQueryOptions, "log">): Promise<AuditPage>;
  registry(): Registry;
  own: { node: string; version: string };
}
