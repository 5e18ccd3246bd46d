import type { AnonymousQuota } from "./anonymous-quota.ts";
import type { CheckedCredential, Credentials } from "./credential.ts";
import { type EntranceRegistration, readRegistration } from "./entrance-registration.ts";
import { type EntranceTokens, TOKEN_TIME } from "./entrance-token.ts";
import { sandboxError } from "./errors.ts";
import { answerHeaders } from "./headers.ts";
import type { OperatorPolicy } from "./operator-policy.ts";
import type { Origins, ViewIdentity } from "./origins.ts";
import { isRecord } from "./own-properties.ts";
import { CREDENTIAL_HEADER, TOKEN_HEADER } from "./registration-headers.ts";
import { hasType, parseJson, readText } from "./request-body.ts";
import type { RegisterOptions, SandboxLimits, ViewRegistration } from "./view-registry.ts";
import type { ViewStore } from "./view-store.ts";

/** Which pages may register at the entrance: those with a credential, or every page that a host embeds. */
export type RegistrationMode = "credential" | "anonymous";

/** An approval that also sets the View's identity or its own limits. */
export interface Authorization {
  /**
   * Replaces the identity of a credential. Without either the View gets an origin that is used once,
   * if the Sandbox accepts anonymous registrations at all.
   */
  identity?: ViewIdentity;
  policy?: OperatorPolicy;
}

/** Decides on a View at the entrance; sees no cookies, because Views could have set them. */
export type Authorize = (
  request: Request,
  registration: EntranceRegistration,
) => boolean | Authorization | Promise<boolean | Authorization>;

/** What the adapter of a web server can tell about the sender of a request. */
export interface RequestClient {
  /** The client's IP address; all requests without one share a quota. */
  address?: string | undefined;
}

/** What the entrance works with. */
export interface EntranceOptions {
  origins: Origins;
  mode: RegistrationMode;
  tokens: EntranceTokens;
  credentials: Credentials;
  quota: AnonymousQuota;
  store: ViewStore;
  limits: SandboxLimits;
  clock: () => number;
  authorize: Authorize | undefined;
  register(view: ViewRegistration, options: RegisterOptions): Promise<{ proxyUrl: string }>;
}

/** Answers `POST /views`. */
export async function registerAtEntrance(
  request: Request,
  client: RequestClient,
  options: EntranceOptions,
): Promise<Response> {
  const { origins, limits, quota, mode, authorize } = options;
  // Our own page and no other: a form or script of another site has another origin (G126).
  if (!isFromEntrance(request, origins.proxy)) return refuse(403, "Only the entrance registers.");
  if (!hasType(request, "application/json")) return refuse(415, "Send JSON.");
  // A program can send any header, so these checks prove little without a credential.
  const admitted = await admit(request, client, options);
  if (admitted instanceof Response) return admitted;
  const { credential } = admitted;
  // JSON can double a text, and the lists of domains are small.
  const text = await readText(request, 2 * limits.html + 65_536);
  if (text === undefined) throw sandboxError("large-html", `more than ${limits.html} bytes`);
  const registration = readRegistration(parseJson(text), credential);
  if (!registration) return refuse(400, "Send an object with html.");
  const { html, vitrine } = registration;
  if (!credential && !(await quota.addDocument(client.address, html.length))) return tooMany();
  const authorization = await decide(request, registration, authorize);
  if (!authorization) return refuse(403, "Not allowed.");
  const { identity = credential?.identity, policy } = authorization;
  if (!identity && mode !== "anonymous") return needsCredential();
  const { proxyUrl } = await options.register(
    {
      ...viewOf(registration),
      ...identity,
      ...(policy && { policy }),
      ...(credential?.host !== undefined && { host: credential.host }),
    },
    { mode: vitrine ? "port" : "window", isAnonymous: !identity, embedder: registration.host },
  );
  return new Response(JSON.stringify({ path: new URL(proxyUrl).pathname }), {
    status: 201,
    headers: answerHeaders("application/json"),
  });
}

/** Checks what comes before the body, or answers. Only a valid credential isn't counted by address. */
async function admit(
  { headers }: Request,
  { address }: RequestClient,
  options: EntranceOptions,
): Promise<{ credential?: CheckedCredential } | Response> {
  const { tokens, credentials, store, quota, clock, mode, authorize } = options;
  const token = await tokens.check(headers.get(TOKEN_HEADER));
  if (!token) return tooOld();
  const text = headers.get(CREDENTIAL_HEADER);
  if (text !== null) {
    const credential = await credentials.check(text);
    const ttl = credential && credential.until - clock();
    const uses = ttl && (await store.add(`credential:${credential.id}`, 1, { ttl }));
    if (credential && uses === 1) return { credential };
    // Never an anonymous View instead: a host that has credentials wants the View's own origin.
    return refuse(401, "The credential isn't valid, has expired or was used. Reload the host.");
  }
  if (mode !== "anonymous" && !authorize) return needsCredential();
  if (!(await quota.addView(address))) return tooMany();
  return (await store.add(`token:${token}`, 1, { ttl: TOKEN_TIME })) === 1 ? {} : tooOld();
}

function isFromEntrance({ headers }: Request, proxy: string): boolean {
  return (
    headers.get("origin") === proxy &&
    headers.get("sec-fetch-site") === "same-origin" &&
    headers.get("sec-fetch-dest") === "empty"
  );
}

async function decide(
  request: Request,
  registration: EntranceRegistration,
  authorize: Authorize | undefined,
): Promise<Authorization | undefined> {
  const decision = authorize ? await authorize(withoutCookies(request), registration) : true;
  if (decision === true) return {};
  // Exactly `true` or an object: any other value that a hook returns by mistake is a rejection.
  return isRecord(decision) ? decision : undefined;
}

/** The View under the names that the page claims, which are for diagnostics only. */
function viewOf({
  html,
  csp,
  permissions,
  sandbox,
  vitrine,
}: EntranceRegistration): ViewRegistration {
  const { server = "unknown", resource = "unknown", hold = false, domain } = vitrine ?? {};
  const meta = { csp, permissions, ...(domain !== undefined && { domain }) };
  const view = { server, resource, hold, html, meta };
  return { ...view, ...(sandbox !== undefined && { sandbox }) };
}

function withoutCookies({ url, method, headers }: Request): Request {
  const kept = new Headers(headers);
  kept.delete("cookie");
  return new Request(url, { method, headers: kept });
}

function tooOld(): Response {
  return refuse(401, "The entrance is too old or was used. Reload the host.");
}

function needsCredential(): Response {
  return refuse(403, "This sandbox needs a credential from the host's server or the gateway.");
}

function tooMany(): Response {
  return refuse(429, "Too many apps were opened from this network. Try again later.");
}

function refuse(status: number, text: string): Response {
  return new Response(text, { status, headers: answerHeaders() });
}
