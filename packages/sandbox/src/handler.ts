// The Sandbox as one function from request to response. The request's host name selects the part
// that answers. Cookies are neither read nor set: Views can set some for each other's names
// (C60). Nothing redirects, because a redirect would carry a View to another address (B40).

import { LocalError } from "@vitrine/protocol";
import { createAnonymousQuota } from "./anonymous-quota.ts";
import { type CredentialOptions, createCredentials } from "./credential.ts";
import { createEgressProbe } from "./egress-probe.ts";
import {
  type Authorize,
  type RegistrationMode,
  type RequestClient,
  registerAtEntrance,
} from "./entrance.ts";
import { createTokens } from "./entrance-token.ts";
import type { SandboxErrorCode } from "./error-messages.ts";
import { sandboxError } from "./errors.ts";
import { answerHeaders, clearHeaders, entranceHeaders } from "./headers.ts";
import { checkNames, type OperatorPolicy } from "./operator-policy.ts";
import {
  createOrigins,
  type Origins,
  type OriginsConfig,
  type Place,
  type ViewIdentity,
} from "./origins.ts";
import { relayHash, writePage } from "./page.ts";
import type { RejectionCode } from "./rejection.ts";
import type { RelayLimits } from "./relay/page-settings.ts";
import { explainViolation, readReports } from "./reports.ts";
import { hasType, parseJson, readText } from "./request-body.ts";
import { type StableDomain, type StableOrigin, stableOrigins } from "./stable-domains.ts";
import { openStatus } from "./status-page.ts";
import {
  createViewRegistry,
  embeddersOf,
  pickHosts,
  type RegisteredView,
  type RegisterOptions,
  type ReportSubject,
  type SandboxLimits,
  type StoredResponse,
  type ViewRegistration,
} from "./view-registry.ts";
import { createMemoryStore, type ViewStore } from "./view-store.ts";
import { type SandboxWarning, warningsOf } from "./warnings.ts";

/** How a Sandbox is set up. */
export interface SandboxConfig {
  origins: OriginsConfig;
  /** What Views may have beyond the minimum. */
  policy?: OperatorPolicy;
  /**
   * Servers whose Views have one origin each, if they declare it as `_meta.ui.domain`. It is the same
   * for all users and versions, so these share storage in one browser. None by default.
   */
  stableDomains?: readonly StableDomain[];
  /** In memory by default, for a single process. Several need one store: `@vitrine/sandbox/stores`. */
  store?: ViewStore;
  /**
   * Which pages may register at the entrance. `"credential"` is the default of tier `domain`: the
   * host's server or the gateway issues one for each View. `"anonymous"` is the default of tier
   * `localhost`: everyone who reaches the Sandbox may register, within limits and for an origin
   * that is used once.
   */
  registration?: RegistrationMode;
  /** An additional decision on Views at the entrance, which may set their identity. */
  authorize?: Authorize;
  limits?: Partial<SandboxLimits>;
  /** Bounds for what a View sends. */
  relay?: Partial<RelayLimits>;
  /** Milliseconds since any fixed point. */
  clock?: () => number;
}

/** A message for the author of a View, never for the model. */
export interface Diagnostic extends ReportSubject {
  /** Left out of the policy, or blocked by a browser (which only the View reports). */
  kind: "rejected" | "blocked";
  code: RejectionCode | "blocked";
  /** The directive, or the list it was declared in. */
  where: string;
  /** Printable, whatever the View sent. */
  value: string;
  message: string;
  /** The line to add to `_meta.ui.csp`, if that helps. */
  fix?: string;
}

/** A running Sandbox. */
export interface Sandbox {
  readonly origins: Origins;
  /** Weaknesses of this setup, for the operator to read at the start. */
  readonly warnings: readonly SandboxWarning[];
  /** Answers any request; never throws. Pass the client's address, by which quotas are kept. */
  fetch(request: Request, client?: RequestClient): Promise<Response>;
  /** Whether a request is for the Sandbox at all, for servers that do other things as well. */
  handles(request: { url: string }): boolean;
  /** Registers a View for our own Host, which uses a port to the relay. */
  register(view: ViewRegistration): Promise<RegisteredView>;
  /** A credential with which a page registers one View of this identity at the entrance, once. */
  issueCredential(identity: ViewIdentity, options?: CredentialOptions): Promise<string>;
  /** The origins of `stableDomains`, for the lists of APIs and log-ins. */
  stableOrigins(): Promise<StableOrigin[]>;
  /** Calls the listener for each declaration that was left out and each request that was blocked. */
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Calls the listener for each error behind a "500 Internal error". */
  onError(listener: (error: unknown) => void): () => void;
  /** Removes all waiting Views; idempotent. */
  close(): void;
}

const LIMITS: SandboxLimits = {
  html: 5 * 2 ** 20,
  viewTime: 60_000,
  heldTime: 10 * 60_000,
  reports: 100,
  reportTime: 60 * 60_000,
  addressViews: 1000,
  addressBytes: 32 * 2 ** 20,
  anonymousViews: 10_000,
  anonymousBytes: 64 * 2 ** 20,
};
// On the user's own machine all clients have one address.
const LOCAL_LIMITS = { addressViews: LIMITS.anonymousViews, addressBytes: LIMITS.anonymousBytes };
const longestReport = 65_536;

interface Target {
  host: string;
  id: string;
}
type Route = (request: Request, target: Target, client: RequestClient) => Promise<Response>;
type Routes = Record<string, Route>;

/** Creates a Sandbox; throws a `SandboxError` for an unsafe setup. */
export function createSandbox(config: SandboxConfig): Sandbox {
  const { clock = Date.now, authorize, stableDomains = [] } = config;
  const origins = createOrigins(config.origins);
  // There, Views have no origin at all.
  if (origins.opaque && stableDomains.length > 0) throw sandboxError("mixed-tier", "stableDomains");
  const isLocal = origins.tier === "localhost";
  const mode = config.registration ?? (isLocal ? "anonymous" : "credential");
  if (origins.isOpen && mode === "anonymous") throw sandboxError("open-registration", mode);
  const limits = { ...LIMITS, ...(isLocal && LOCAL_LIMITS), ...config.limits };
  const operator: OperatorPolicy = {
    ...checkNames({ dev: isLocal, ...config.policy }),
    ownDomains: [...origins.ownDomains, ...(config.policy?.ownDomains ?? [])],
  };
  const store = config.store ?? createMemoryStore({ clock });
  const scriptHash = relayHash();
  const relayLimits = config.relay ?? {};
  const registry = createViewRegistry(origins, {
    operator,
    store,
    limits,
    clock,
    scriptHash,
    stableDomains,
    relayLimits,
  });
  const tokens = createTokens(origins.signer, clock);
  const credentials = createCredentials(origins.signer, clock);
  const quota = createAnonymousQuota(store, origins.signer, limits);
  const diagnostics = new Set<(diagnostic: Diagnostic) => void>();
  const errors = new Set<(error: unknown) => void>();
  let open = true;

  async function register(
    view: ViewRegistration,
    options: RegisterOptions,
  ): Promise<RegisteredView> {
    if (!open) throw sandboxError("sandbox-closed", "register");
    const registered = await registry.register(view, options);
    const { viewId } = registered;
    const { server, resource } = view;
    for (const { list, value, code, reason } of registered.rejected) {
      const about = { kind: "rejected", code, where: list, value, message: reason } as const;
      tell(diagnostics, { viewId, server, resource, ...about });
    }
    return registered;
  }

  const probe = createEgressProbe(origins);
  const pages: Routes = {
    "GET /p/<id>": async (request, { id }) =>
      frameNavigation(request) ?? serve(await registry.openPage(id, referrerOf(request))),
    "GET /egress": async (request) =>
      frameNavigation(request) ?? probe.open(embeddersOf(origins, referrerOf(request))),
    "GET /status": async (request) => frameNavigation(request) ?? openStatus(),
    "GET /egress/<id>": async () => probe.answer(),
    "POST /egress/<id>": async () => probe.answer(),
  };
  const views: Routes = {
    "GET /v/<id>": async (request, { host, id }) =>
      frameNavigation(request) ?? serve(await registry.takeView(host, id)),
    "GET /c/<id>": async (request, { host, id }) =>
      frameNavigation(request) ?? clearStorage(await registry.reportSubject(host, id)),
    "POST /r/<id>": takeReports,
  };
  const entrance: Routes = {
    "GET /": openEntrance,
    "POST /views": (request, _target, client) =>
      registerAtEntrance(request, client, {
        ...{ origins, mode, tokens, credentials, quota, store, limits, clock, authorize, register },
      }),
  };
  const routes: Record<Place["part"], Routes> = {
    proxy: { ...entrance, ...pages },
    view: views,
    // A page without an origin cannot register anything, so one origin has no entrance.
    both: { ...pages, ...views },
  };

  async function route(
    request: Request,
    { part, host, path }: Place,
    client: RequestClient,
  ): Promise<Response> {
    const [, folder, id = ""] = /^(\/(?:[cpvr]|egress)\/)([a-z2-7]{32})$/.exec(path) ?? [];
    // A request's address never contains these brackets unescaped, so it can't match the pattern itself.
    const call = `${request.method} ${folder ? `${folder}<id>` : path}`;
    const run = Object.hasOwn(routes[part], call) ? routes[part][call] : undefined;
    return run ? run(request, { host, id }, client) : answer(404, "Not found.");
  }

  async function openEntrance(request: Request): Promise<Response> {
    const refusal = frameNavigation(request);
    if (refusal) return refusal;
    const embedders = embeddersOf(origins, referrerOf(request));
    const headers = entranceHeaders({
      hosts: embedders.hosts,
      scriptHash: await scriptHash,
      viewsUrl: `${origins.proxy}/views`,
    });
    return new Response(writePage({ ...embedders, token: await tokens.issue() }), { headers });
  }

  async function takeReports(request: Request, { host, id }: Target): Promise<Response> {
    if (!hasType(request, "application/reports+json", "application/csp-report")) {
      return answer(415, "Send a report.");
    }
    const subject = await registry.reportSubject(host, id);
    if (!subject) return answer(404, "Not found.");
    const text = await readText(request, longestReport);
    if (text === undefined) return answer(413, "Too large.");
    const violations = readReports(parseJson(text), limits.reports);
    // Counted even if it can't be read: a View can send anything.
    const amount = Math.max(violations.length, 1);
    const count = await store.add(`count:${id}`, amount, { ttl: limits.reportTime });
    const room = Math.max(limits.reports - (count - amount), 0);
    if (room === 0) return answer(429, "Enough reports.");
    for (const violation of violations.slice(0, room)) {
      const { directive: where, blocked: value } = violation;
      const words = explainViolation(violation, operator);
      tell(diagnostics, { ...subject, kind: "blocked", code: "blocked", where, value, ...words });
    }
    return new Response(null, { status: 204, headers: answerHeaders() });
  }

  async function respond(request: Request, client: RequestClient): Promise<Response> {
    try {
      if (!open) return answer(503, "Closed.");
      const place = URL.canParse(request.url) && origins.locate(new URL(request.url));
      return place ? await route(request, place, client) : answer(404, "Not found.");
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) tell(errors, error);
      return refusal ?? answer(500, "Internal error.");
    }
  }

  /** Views leave cookies for each other's names, so those that arrive are cleared (S34, S35). */
  function clearCookies({ headers }: Request, response: Response): Response {
    // On the host's own origin these are the host's cookies. Clearing takes the browser some time.
    if (origins.tier !== "domain" || !headers.has("cookie")) return response;
    response.headers.append("clear-site-data", '"cookies"');
    return response;
  }

  return {
    origins,
    warnings: warningsOf(origins),
    handles: ({ url }) => URL.canParse(url) && origins.locate(new URL(url)) !== undefined,
    register: (view) => register(view, { mode: "port" }),
    issueCredential: async (identity, options = {}) => {
      // Checked now: at the entrance the user would see the error.
      pickHosts(origins, options.host);
      return credentials.issue(identity, options);
    },
    stableOrigins: () => stableOrigins(origins, stableDomains),
    onDiagnostic: (listener) => listen(diagnostics, listener),
    onError: (listener) => listen(errors, listener),

    fetch: async (request, client = {}) => clearCookies(request, await respond(request, client)),

    close: () => {
      open = false;
      diagnostics.clear();
      errors.clear();
      // A store that was passed in may serve other processes.
      if (!config.store) store.close();
    },
  };
}

const STATUS: Partial<Record<SandboxErrorCode, number>> = {
  "bad-html": 400,
  "large-html": 413,
  "bad-identity": 400,
  "host-needed": 403,
  "store-full": 503,
  "sandbox-closed": 503,
};

function refusalOf(error: unknown): Response | undefined {
  const status = error instanceof LocalError ? STATUS[error.code as SandboxErrorCode] : undefined;
  // Errors of a View are reported to its sender; our own errors only to the operator.
  if (status === undefined) return undefined;
  return answer(status, status < 500 ? (error as Error).message : "Refused.");
}

/**
 * Rejects requests that aren't navigations of a frame: opened by itself, a View would be a
 * third-party page under our domain (B49), and a script that fetches it would use it up or read it.
 * A browser without these headers is rejected too.
 */
function frameNavigation({ headers }: Request): Response | undefined {
  const isFrame =
    headers.get("sec-fetch-dest") === "iframe" && headers.get("sec-fetch-mode") === "navigate";
  return isFrame && !headers.has("sec-purpose")
    ? undefined
    : answer(403, "This opens in a frame of its host only.");
}

/** The origin of the page that loads a frame, if it tells. A program can claim any. */
function referrerOf({ headers }: Request): string | undefined {
  const referrer = headers.get("referer") ?? "";
  return URL.canParse(referrer) ? new URL(referrer).origin : undefined;
}

function serve(stored: StoredResponse | undefined): Response {
  if (!stored)
    return answer(410, "This view was opened already or waited too long. Reload the host.");
  return new Response(stored.body, { headers: stored.headers });
}

/** For views that were registered here, so that no other page can clear a view's storage. */
function clearStorage(subject: ReportSubject | undefined): Response {
  return subject
    ? new Response(null, { status: 200, headers: clearHeaders() })
    : answer(404, "Not found.");
}

function answer(status: number, text: string): Response {
  return new Response(text, { status, headers: answerHeaders() });
}

function listen<Value>(
  listeners: Set<(value: Value) => void>,
  listener: (value: Value) => void,
): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell<Value>(listeners: Set<(value: Value) => void>, value: Value): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch {
      // An error of a listener must not affect a View.
    }
  }
}
