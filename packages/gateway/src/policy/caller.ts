import type { SubjectToken } from "../identity/subject-token.ts";
import type { TicketClaims } from "../identity/view-ticket.ts";

/** The sender of a request. Only its ticket identifies a View, never the content of a message (GW-07). */
export interface Caller {
  party: "model" | "view";
  tenant: string;
  user: string;
  /** The groups in the user's token. */
  groups?: readonly string[];
  /** The issuer of the user's token. */
  issuer?: string;
  /** The scopes of the user's token. */
  scopes?: readonly string[];
  /** For a View: what it is bound to. */
  ticket?: TicketClaims;
  /**
   * When the user's token was issued, in milliseconds since 1970. For a View, the token that opened it: a
   * revocation between the two must end the View as well.
   */
  issuedAt?: number;
  /** The token itself, for servers that need another in exchange for it. A View has none. */
  token?: SubjectToken;
  /** The client's address. */
  address?: string;
  /** When the token or ticket expires, in milliseconds since 1970. The connection ends then. */
  expires?: number;
}

/** The headers of an HTTP request or a WebSocket upgrade, so that both go through the same checks. */
export interface RequestHead {
  method: string;
  /** Lower-case names, as in node:http. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  server: string;
  /** For the routes of a Host's page, as opposed to MCP. They accept tokens for the combined endpoint as well. */
  isPageRoute?: boolean;
  /** The ticket, from wherever the carrier puts it. */
  ticket?: string | undefined;
  /** The bearer token, from wherever the carrier puts it. */
  token?: string | undefined;
  isUpgrade: boolean;
  /** The client's address. */
  address?: string | undefined;
}
