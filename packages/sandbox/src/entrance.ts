import { randomName } from "./digest.ts";
import type { EntranceTokens } from "./entrance-token.ts";
import { TOKEN_TIME } from "./entrance-token.ts";
import { sandboxError } from "./errors.ts";
import { answerHeaders } from "./headers.ts";
import type { OperatorPolicy } from "./operator-policy.ts";
import type { Origins, ViewIdentity } from "./origins.ts";
import { isRecord, ownValue } from "./own-properties.ts";
import { hasType, parseJson, readText } from "./request-body.ts";
import type { RegisteredView, SandboxLimits, ViewRegistration } from "./view-desk.ts";
import type { ViewStore } from "./view-store.ts";

/** What a Host of ours says of a View besides; it is pinned, and so believed. */
interface EntranceClaim extends ViewIdentity {
  hold?: boolean;
}

/** What a Host sends; of all but `vitrine` nothing is checked save the types. */
export interface EntranceRegistration {
  html: string;
  csp?: unknown;
  permissions?: unknown;
  sandbox?: string;
  /** Absent from a Host that knows only the specification. */
  vitrine?: EntranceClaim;
}

/** A yes with more to it: whose View it is, and what holds for it alone. */
export interface Authorization {
  /**
   * Comes before what a Host of ours claims. Without either the View gets an origin that is used
   * once, and so no lasting storage.
   */
  identity?: ViewIdentity;
  policy?: OperatorPolicy;
}

/** Decides on a View at the entrance; sees no cookies, because Views could have set them. */
export type Authorize = (
  request: Request,
  registration: EntranceRegistration,
) => boolean | Authorization | Promise<boolean | Authorization>;

/** What the entrance works with. */
export interface EntranceOptions {
  origins: Origins;
  tokens: EntranceTokens;
  store: ViewStore;
  limits: SandboxLimits;
  authorize: Authorize;
  register(view: ViewRegistration, mode: "port" | "window"): Promise<RegisteredView>;
}

/** Answers `POST /views`. */
export async function registerAtEntrance(
  request: Request,
  options: EntranceOptions,
): Promise<Response> {
  const { origins, tokens, store, limits, authorize } = options;
  // Our own page and no other: a form or script of another site has another origin (G126).
  if (!isFromEntrance(request, origins.proxy)) return refuse(403, "Only the entrance registers.");
  if (!hasType(request, "application/json")) return refuse(415, "Send JSON.");
  // JSON can double a text, and the lists of domains are small.
  const text = await readText(request, 2 * limits.html + 65_536);
  if (text === undefined) throw sandboxError("large-html", `more than ${limits.html} bytes`);
  const body = parseJson(text);
  const registration = readRegistration(body);
  if (!registration) return refuse(400, "Send an object with html.");
  const token = await tokens.check(ownValue(body, "token"));
  const uses = token && (await store.add(`token:${token}`, 1, { ttl: TOKEN_TIME }));
  if (uses !== 1) return refuse(401, "The entrance is too old or was used. Reload the host.");
  const decision = await authorize(withoutCookies(request), registration);
  // Exactly `true` or an object: whatever else a hook returns by mistake is a no.
  if (decision !== true && !isRecord(decision)) return refuse(403, "Not allowed.");
  const { identity, policy } = decision === true ? ({} as Authorization) : decision;
  const { html, csp, permissions, sandbox, vitrine } = registration;
  const nobody: EntranceClaim = { server: randomName(), resource: "entrance" };
  const { hold, ...owner } = vitrine ?? nobody;
  const view: ViewRegistration = {
    // If nobody told us whose View this is, it shares its origin with no other.
    ...(identity ?? owner),
    html,
    meta: { csp, permissions },
    ...(sandbox !== undefined && { sandbox }),
    ...(policy && { policy }),
    ...(hold && { hold }),
  };
  const { proxyUrl } = await options.register(view, vitrine ? "port" : "window");
  return new Response(JSON.stringify({ path: new URL(proxyUrl).pathname }), {
    status: 201,
    headers: answerHeaders("application/json"),
  });
}

function isFromEntrance({ headers }: Request, proxy: string): boolean {
  return (
    headers.get("origin") === proxy &&
    headers.get("sec-fetch-site") === "same-origin" &&
    headers.get("sec-fetch-dest") === "empty"
  );
}

/** Whose View it is by a Host of ours; checked here, because `authorize` is shown it. */
function readClaim(value: unknown): EntranceClaim | undefined {
  if (value === undefined) return undefined;
  const claim: Record<string, string> = {};
  for (const key of ["server", "resource", "tenant", "user"]) {
    const name = ownValue(value, key);
    if (name === undefined && (key === "tenant" || key === "user")) continue;
    if (typeof name !== "string") throw sandboxError("bad-identity", `vitrine.${key}`);
    claim[key] = name;
  }
  const hold = ownValue(value, "hold") === true;
  return { ...(claim as unknown as ViewIdentity), ...(hold && { hold }) };
}

function readRegistration(body: unknown): EntranceRegistration | undefined {
  const html = ownValue(body, "html");
  const sandbox = ownValue(body, "sandbox");
  if (typeof html !== "string") return undefined;
  const vitrine = readClaim(ownValue(body, "vitrine"));
  return {
    html,
    csp: ownValue(body, "csp"),
    permissions: ownValue(body, "permissions"),
    ...(typeof sandbox === "string" && { sandbox }),
    ...(vitrine && { vitrine }),
  };
}

function withoutCookies({ url, method, headers }: Request): Request {
  const kept = new Headers(headers);
  kept.delete("cookie");
  return new Request(url, { method, headers: kept });
}

function refuse(status: number, text: string): Response {
  return new Response(text, { status, headers: answerHeaders() });
}
