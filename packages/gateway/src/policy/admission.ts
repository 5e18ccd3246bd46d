// Authenticates a request before any of its message is read. HTTP requests and WebSocket upgrades go through
// the same checks in this order.

import { type Refusal, refuse } from "../errors/refusal.ts";
import { KeysUnavailableError } from "../identity/issuer-keys.ts";
import type { ProtectedResources } from "../identity/protected-resources.ts";
import type { Revocations } from "../identity/revocations.ts";
import { SubjectToken } from "../identity/subject-token.ts";
import type { Authenticate, AuthenticatedUser } from "../identity/user-token.ts";
import type { Tickets } from "../identity/view-ticket.ts";
import type { Caller, RequestHead } from "./caller.ts";
import { revocationRefusal } from "./checks/revoked-caller.ts";
import type { EndedViews } from "./ended-views.ts";
import type { Admitted } from "./exchange.ts";
import type { Servers } from "./server-binding.ts";

/** Rules for connecting to the gateway. */
export interface AdmissionOptions {
  /** Host names of the gateway, in lower case, each with its port unless it is the scheme's default. */
  hosts: ReadonlySet<string>;
  /** Origins of the Hosts' pages. */
  origins: readonly string[];
  authenticate: Authenticate;
  /** The addresses that tokens are issued for. Without them, tokens have one audience for all servers. */
  resources?: ProtectedResources | undefined;
  tickets: Tickets;
  revocations: Revocations;
  endedViews?: EndedViews | undefined;
  servers: Servers;
}

/** A rejected attempt, without the credentials that were sent. */
export interface RejectedAttempt {
  carrier: "http" | "websocket";
  refusal: Refusal;
  /** The requested server, as the caller named it. */
  server: string;
  /** The client's address, or that of a proxy that isn't trusted. */
  remote: string;
  /** Why its token was probably rejected. */
  cause?: string | undefined;
}

/** A fast check before the credential is verified. May delay the request. */
type Precheck = () => Refusal | undefined | Promise<Refusal | undefined>;

type Admission = (head: RequestHead, precheck?: Precheck) => Promise<Admitted | Refusal>;

/** Creates the admission check. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { hosts } = options;
  const origins = new Set(options.origins);
  return async (head, precheck) => {
    const refusal = checkBrowser(head, hosts, origins) ?? checkCredential(head);
    if (refusal) return refusal;
    const early = await precheck?.();
    if (early) return early;
    const caller = await identify(head, options);
    if ("code" in caller) return caller;
    await options.revocations.settled();
    const revoked = revocationRefusal(options.revocations, caller);
    if (revoked) return revoked;
    // Refuse an unknown server and a server that the View isn't bound to in the same way.
    const server = options.servers.get(head.server);
    if (!server)
      return refuse(
        "unknown-server",
        "There is no server of this name. Check the name, or ask the operator to add it.",
      );
    const { address } = head;
    return { caller: address === undefined ? caller : { ...caller, address }, server };
  };
}

/** Stops DNS rebinding and cross-site requests by the headers that a browser sets (G125, G126). */
function checkBrowser(
  { headers, method, isUpgrade }: RequestHead,
  hosts: ReadonlySet<string>,
  origins: ReadonlySet<string>,
): Refusal | undefined {
  if (!hosts.has(`${headers.host ?? ""}`.toLowerCase())) {
    return refuse(
      "foreign-host",
      "The gateway isn't configured for this Host header. Add it to listen.hosts.",
    );
  }
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && !origins.has(`${origin}`)) {
    return refuse(
      "foreign-origin",
      "Pages of this origin may not call the gateway. Add it to origins.",
    );
  }
  // Doesn't use Sec-Fetch-Mode, because Node's fetch sends it too.
  if (site !== undefined && origin === undefined && (isUpgrade || method !== "GET")) {
    return refuse("foreign-origin", "A browser's request needs an Origin header.");
  }
  if (site === "cross-site" && !origins.has(`${origin}`)) {
    return refuse("foreign-site", "Pages of other sites may not call the gateway.");
  }
  return undefined;
}

/** Refuse a request without a credential immediately; nothing has to be verified. */
function checkCredential({ ticket, token }: RequestHead): Refusal | undefined {
  return ticket === undefined && token === undefined ? unauthenticated() : undefined;
}

function unauthenticated(): Refusal {
  return refuse("unauthenticated", "Send a valid token: Authorization: Bearer …");
}

async function identify(head: RequestHead, options: AdmissionOptions): Promise<Caller | Refusal> {
  if (head.ticket !== undefined) return identifyView(head.ticket, head, options);
  const known = await readToken(head, options);
  if ("code" in known) return known;
  const { tenant, user, expires, issuedAt, groups, issuer, scopes } = known;
  return {
    ...{ party: "model", tenant, user, token: new SubjectToken(head.token ?? "", expires) },
    ...(expires !== undefined && { expires }),
    ...(issuedAt !== undefined && { issuedAt }),
    ...(groups && { groups }),
    ...(issuer !== undefined && { issuer }),
    ...(scopes && { scopes }),
  };
}

async function identifyView(
  ticket: string,
  head: RequestHead,
  { tickets, endedViews }: AdmissionOptions,
): Promise<Caller | Refusal> {
  const claims = await tickets.verify(ticket);
  if ("code" in claims) return claims;
  await endedViews?.isReady;
  const ended = endedViews?.refusal(claims);
  if (ended) return ended;
  if (claims.server !== head.server) {
    return refuse("ticket-foreign", "The ticket is for another server. Open the view again.");
  }
  const { tenant, user, exp, groups, issuer, tokenIat } = claims;
  return {
    ...{ party: "view", tenant, user, ticket: claims, expires: exp * 1000 },
    ...(tokenIat !== undefined && { issuedAt: tokenIat * 1000 }),
    ...(groups && { groups }),
    ...(issuer !== undefined && { issuer }),
  };
}

async function readToken(
  { token = "", server, isPageRoute }: RequestHead,
  { authenticate, resources }: AdmissionOptions,
): Promise<AuthenticatedUser | Refusal> {
  try {
    const known = await authenticate(token, resources?.accepted(server, { isPageRoute }));
    if (!known) return unauthenticated();
    return resources?.check(known, server) ?? known;
  } catch (error) {
    if (!(error instanceof KeysUnavailableError)) throw error;
    const message = "The identity provider can't be reached. Try again in a moment.";
    return refuse("login-unavailable", message, { retryAfter: 5 });
  }
}
