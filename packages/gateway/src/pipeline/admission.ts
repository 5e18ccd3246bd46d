// Who knocks, before a word of the message is read. The same for an HTTP request and for the upgrade to a
// WebSocket, in this order.

import type { Authenticate } from "../identity/user-token.ts";
import type { Tickets } from "../identity/view-ticket.ts";
import type { ServerBinding, Servers } from "../servers.ts";
import type { Caller, RequestHead } from "./exchange.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** Whom the gateway lets in. */
export interface AdmissionOptions {
  /** Names it is called by, in lower case, each with its port where that is not the scheme's own. */
  hosts: ReadonlySet<string>;
  /** Origins of the Hosts' pages. */
  origins: readonly string[];
  authenticate: Authenticate;
  tickets: Tickets;
  servers: Servers;
}

/** Who was let in, and to which server. */
export interface Admitted {
  caller: Caller;
  server: ServerBinding;
}

/** Somebody who was not let in; nothing of what they showed. */
export interface TurnedAway {
  carrier: "http" | "websocket";
  refusal: Refusal;
  /** The server they asked for, in their words. */
  server: string;
  /** Address of the other end, which may be a proxy's. */
  remote: string;
}

/** Checks what costs little before a credential is verified; may delay it. */
type Precheck = () => Refusal | undefined | Promise<Refusal | undefined>;

type Admission = (head: RequestHead, precheck?: Precheck) => Promise<Admitted | Refusal>;

/** Checks heads. */
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
    // A server that is not there and one that is not the View's own look alike.
    const server = options.servers.get(head.server);
    if (!server) return refuse("unknown-server", "There is no such server; see the configuration.");
    return { caller, server };
  };
}

/** DNS rebinding and cross-site requests: a browser says where it thinks it is (G125, G126). */
function checkBrowser(
  { headers, method, isUpgrade }: RequestHead,
  hosts: ReadonlySet<string>,
  origins: ReadonlySet<string>,
): Refusal | undefined {
  if (!hosts.has(`${headers.host ?? ""}`.toLowerCase())) {
    return refuse("foreign-host", "The Host header names nobody here; add it to listen.hosts.");
  }
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && !origins.has(`${origin}`)) {
    return refuse("foreign-origin", "Pages of this origin may not call; add it to origins.");
  }
  // Not by Sec-Fetch-Mode: that, Node's own fetch sends as well.
  if (site !== undefined && origin === undefined && (isUpgrade || method !== "GET")) {
    return refuse("foreign-origin", "A browser's request needs an Origin header.");
  }
  if (site === "cross-site" && !origins.has(`${origin}`)) {
    return refuse("foreign-site", "Another site's page may not call.");
  }
  return undefined;
}

/** Without a credential nothing has to be verified, and nothing is waited for. */
function checkCredential({ ticket, token }: RequestHead): Refusal | undefined {
  return ticket === undefined && token === undefined ? unauthenticated() : undefined;
}

function unauthenticated(): Refusal {
  return refuse("unauthenticated", "Send a valid token: Authorization: Bearer …");
}

async function identify(head: RequestHead, options: AdmissionOptions): Promise<Caller | Refusal> {
  if (head.ticket !== undefined) {
    const claims = await options.tickets.verify(head.ticket);
    if ("code" in claims) return claims;
    if (claims.server !== head.server) {
      return refuse("ticket-foreign", "The ticket is for another server.");
    }
    const { tenant, user, exp } = claims;
    return { party: "view", tenant, user, ticket: claims, expires: exp * 1000 };
  }
  const known = head.token === undefined ? undefined : await options.authenticate(head.token);
  if (!known) return unauthenticated();
  const { tenant, user, expires } = known;
  return { party: "model", tenant, user, ...(expires !== undefined && { expires }) };
}
