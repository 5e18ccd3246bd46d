// A signed ticket binds a View to its user, server and resource, to the hash of the approved content, and to
// the hash of the tools it may call. Any process that has the key can verify it without a lookup. The Host's
// page holds the ticket; the Sandbox and the View never see it, and it never appears in a URL.

import { hash, randomUUID } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { type Refusal, refuse } from "../errors/refusal.ts";

/** The claims of a ticket. */
export interface TicketClaims {
  /** Identifies this ticket: used to resume a connection, in rate limits and in the audit log. */
  jti: string;
  tenant: string;
  user: string;
  server: string;
  /** The groups and the issuer in the user's token, for policies. */
  groups?: readonly string[];
  issuer?: string;
  /** When the user's token was issued, in seconds since 1970. */
  tokenIat?: number;
  /** The `ui://` address of the View. */
  resource: string;
  htmlHash: string;
  policyHash: string;
  /**
   * Hash of the tools that the View may call and of their definitions; the list itself wouldn't fit in a
   * header.
   */
  toolsHash: string;
  /** Seconds since 1970. */
  exp: number;
}

/** Issues and checks tickets. */
export interface Tickets {
  issue(
    claims: Omit<TicketClaims, "jti" | "exp">,
  ): Promise<{ ticket: string; claims: TicketClaims }>;
  verify(ticket: string): Promise<TicketClaims | Refusal>;
}

/** Signing options. The first key signs and all keys verify, so that keys can be rotated. */
export interface TicketOptions {
  keys: readonly { id: string; secret: Uint8Array }[];
  /** Lifetime of a ticket in seconds. */
  lifetime?: number;
  clock?: () => number;
}

const LIFETIME = 15 * 60;
const LONGEST = 16 * 1024;
const REMEMBERED = 10_000;
const AUDIENCE = "vitrine-view";

/** Creates and verifies tickets. */
export function createTickets({
  keys,
  lifetime = LIFETIME,
  clock = Date.now,
}: TicketOptions): Tickets {
  const [signing] = keys;
  if (!signing) throw new TypeError("Tickets need at least one key.");
  for (const { id, secret } of keys) {
    if (secret.length < 32) throw new TypeError(`The ticket key "${id}" has less than 32 bytes.`);
  }
  // After a restart, thousands of pages reconnect with the tickets they have. Keyed by hash, which is a tenth
  // of the ticket's size.
  const known = new Map<string, TicketClaims>();
  const secretOf = ({ kid }: { kid?: string }): Uint8Array => {
    const key = keys.find(({ id }) => id === kid);
    if (!key) throw new errors.JWSInvalid("unknown key");
    return key.secret;
  };
  const expired = (): Refusal =>
    refuse("ticket-expired", "The view's ticket has expired. Get a new one.");

  return {
    issue: async (given) => {
      const exp = Math.floor(clock() / 1000) + lifetime;
      const claims: TicketClaims = { ...given, jti: randomUUID(), exp };
      const ticket = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: "HS256", kid: signing.id, typ: "vitrine-view+jwt" })
        .setAudience(AUDIENCE)
        .sign(signing.secret);
      return { ticket, claims };
    },
    verify: async (ticket) => {
      if (ticket.length > LONGEST)
        return refuse("ticket-invalid", "The view's ticket is too long.");
      const key = hash("sha256", ticket, "base64url");
      const before = known.get(key);
      if (before) return before.exp * 1000 > clock() ? before : expired();
      try {
        const { payload } = await jwtVerify(ticket, (header) => secretOf(header), {
          algorithms: ["HS256"],
          audience: AUDIENCE,
          typ: "vitrine-view+jwt",
          currentDate: new Date(clock()),
          requiredClaims: ["jti", "exp", "user", "server", "resource", "toolsHash"],
        });
        const claims = payload as unknown as TicketClaims;
        if (known.size >= REMEMBERED) known.clear();
        known.set(key, claims);
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return expired();
        return refuse(
          "ticket-invalid",
          "This gateway didn't issue the view's ticket. Get a new one.",
        );
      }
    },
  };
}
