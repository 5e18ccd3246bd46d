// What a View is bound to, signed: its user, server, resource, the hashes of what was approved, and of the
// tools it may call. Any process that has the key checks it without a look-up. The Host's page holds it; neither
// Sandbox nor View ever sees it, and it is never part of an address.

import { hash, randomUUID } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { type Refusal, refuse } from "../pipeline/refusal.ts";

/** What a ticket says. */
export interface TicketClaims {
  /** Of this ticket: resumes what was under way, and counts in limits and audit. */
  jti: string;
  tenant: string;
  user: string;
  server: string;
  /** The `ui://` address of the View. */
  resource: string;
  htmlHash: string;
  policyHash: string;
  /** Of the tools that the View may call and their definitions; a list of them wouldn't fit into a header. */
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

/** How tickets are signed. The first key signs, all of them verify: that is how keys are changed. */
export interface TicketOptions {
  keys: readonly { id: string; secret: Uint8Array }[];
  /** Seconds that a ticket lives. */
  lifetime?: number;
  clock?: () => number;
}

const LIFETIME = 15 * 60;
const LONGEST = 16 * 1024;
const REMEMBERED = 10_000;
const AUDIENCE = "vitrine-view";

/** Makes the office for tickets. */
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
  // A page reconnects with the ticket it has, thousands of them at once after a restart. Under its hash,
  // which is a tenth of it.
  const known = new Map<string, TicketClaims>();
  const intern = createIntern();
  const secretOf = ({ kid }: { kid?: string }): Uint8Array => {
    const key = keys.find(({ id }) => id === kid);
    if (!key) throw new errors.JWSInvalid("unknown key");
    return key.secret;
  };
  const expired = (): Refusal =>
    refuse("ticket-expired", "The view's ticket has expired; get a new one.");

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
        const claims = intern(payload as unknown as TicketClaims);
        if (known.size >= REMEMBERED) known.clear();
        known.set(key, claims);
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return expired();
        return refuse("ticket-invalid", "The view's ticket is not one of ours; get a new one.");
      }
    },
  };
}

type Common = Pick<TicketClaims, "server" | "resource" | "htmlHash" | "policyHash" | "toolsHash">;

/** Thousands of Views show the same resource: what their tickets have in common is kept once. */
function createIntern(): (claims: TicketClaims) => TicketClaims {
  const all = new Map<string, Common>();
  return ({ jti, tenant, user, exp, ...claims }) => {
    const { server, resource, htmlHash, policyHash, toolsHash } = claims;
    const own: Common = { server, resource, htmlHash, policyHash, toolsHash };
    const key = hash("sha256", JSON.stringify(own), "base64url");
    const common = all.get(key) ?? own;
    if (all.size >= REMEMBERED) all.clear();
    all.set(key, common);
    return { jti, tenant, user, exp, ...common };
  };
}
