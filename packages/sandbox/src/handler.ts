// The Sandbox as one function from request to response. Which part of it answers is told by the name
// it was called by. Cookies are neither read nor set: Views can set some for each other's names
// (C60). Nothing redirects, because a redirect would carry a View to another address (B40).

import { LocalError } from "@vitrine/protocol";
import { createEgressProbe } from "./egress-probe.ts";
import { type Authorize, registerAtEntrance } from "./entrance.ts";
import { createTokens } from "./entrance-token.ts";
import { type SandboxErrorCode, sandboxError } from "./errors.ts";
import { answerHeaders, entranceHeaders } from "./headers.ts";
import { checkNames, type OperatorPolicy } from "./operator-policy.ts";
import { createOrigins, type Origins, type OriginsConfig, type Place } from "./origins.ts";
import { relayHash, writePage } from "./page.ts";
import type { RejectionCode } from "./rejection.ts";
import type { RelayLimits } from "./relay/page-settings.ts";
import { explainViolation, readReports } from "./reports.ts";
import { hasType, parseJson, readText } from "./request-body.ts";
import {
  createDesk,
  type RegisteredView,
  type ReportSubject,
  type SandboxLimits,
  type StoredResponse,
  type ViewRegistration,
} from "./view-desk.ts";
import { createMemoryStore, type ViewStore } from "./view-store.ts";

/** How a Sandbox is set up. */
export interface SandboxConfig {
  origins: OriginsConfig;
  /** What Views may have beyond the least. */
  policy?: OperatorPolicy;
  /** In memory by default, which is right for one process. */
  store?: ViewStore;
  /** Decides on Views that come through the entrance; by default each page we pinned may. */
  authorize?: Authorize;
  limits?: Partial<SandboxLimits>;
  /** Bounds for what a View sends. */
  relay?: Partial<RelayLimits>;
  /** Milliseconds since any fixed point. */
  clock?: () => number;
}

/** Something the author of a View should know; nothing of it is for the model. */
export interface Diagnostic extends ReportSubject {
  /** Left out of the policy, or blocked by a browser (which is the View's word only). */
  kind: "rejected" | "blocked";
  code: RejectionCode | "blocked";
  /** The directive, or the list it was declared in. */
  where: string;
  /** Printable, whatever the View sent. */
  value: string;
  message: string;
  /** The line to add to `_meta.ui.csp`, where one helps. */
  fix?: string;
}

/** A running Sandbox. */
export interface Sandbox {
  readonly origins: Origins;
  /** Answers any request; never throws. */
  fetch(request: Request): Promise<Response>;
  /** Whether a request is for the Sandbox at all, for servers that do other things as well. */
  handles(request: { url: string }): boolean;
  /** Takes in a View for our own Host, which speaks to the relay over a port. */
  register(view: ViewRegistration): Promise<RegisteredView>;
  /** Calls back for each thing that was left out or blocked. */
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Calls back for each failure behind a "500 Internal error". */
  onError(listener: (error: unknown) => void): () => void;
  /** Forgets all Views that wait; idempotent. */
  close(): void;
}

const LIMITS: SandboxLimits = {
  html: 5 * 2 ** 20,
  viewTime: 60_000,
  heldTime: 10 * 60_000,
  reports: 100,
  reportTime: 60 * 60_000,
};
const longestReport = 65_536;

interface Target {
  host: string;
  id: string;
}
type Routes = Record<string, (request: Request, target: Target) => Promise<Response>>;

/** Sets up a Sandbox; throws a `SandboxError` for a set-up that is not safe. */
export function createSandbox(config: SandboxConfig): Sandbox {
  const { clock = Date.now, authorize = () => true } = config;
  const origins = createOrigins(config.origins);
  const limits = { ...LIMITS, ...config.limits };
  const operator: OperatorPolicy = {
    dev: origins.tier === "localhost",
    ...checkNames(config.policy ?? {}),
    ownDomains: [...origins.ownDomains, ...(config.policy?.ownDomains ?? [])],
  };
  const store = config.store ?? createMemoryStore({ clock });
  const scriptHash = relayHash();
  const relayLimits = config.relay ?? {};
  const desk = createDesk(origins, { operator, store, limits, clock, scriptHash, relayLimits });
  const tokens = createTokens(origins.signer, clock);
  const diagnostics = new Set<(diagnostic: Diagnostic) => void>();
  const errors = new Set<(error: unknown) => void>();
  let open = true;

  async function register(
    view: ViewRegistration,
    mode: "port" | "window",
  ): Promise<RegisteredView> {
    if (!open) throw sandboxError("sandbox-closed", "register");
    const registered = await desk.register(view, mode);
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
      frameNavigation(request) ?? serve(await desk.openPage(id)),
    "GET /egress": async (request) => frameNavigation(request) ?? probe.open(),
    "GET /egress/<id>": async () => probe.answer(),
    "POST /egress/<id>": async () => probe.answer(),
  };
  const views: Routes = {
    "GET /v/<id>": async (request, { host, id }) =>
      frameNavigation(request) ?? serve(await desk.takeView(host, id)),
    "POST /r/<id>": takeReports,
  };
  const entrance: Routes = {
    "GET /": openEntrance,
    "POST /views": (request) =>
      registerAtEntrance(request, { origins, tokens, store, limits, authorize, register }),
  };
  const routes: Record<Place["part"], Routes> = {
    proxy: { ...entrance, ...pages },
    view: views,
    // A page without an origin cannot register anything, so one origin has no entrance.
    both: { ...pages, ...views },
  };

  async function route(request: Request, { part, host, path }: Place): Promise<Response> {
    const [, folder, id = ""] = /^(\/(?:[pvr]|egress)\/)([a-z2-7]{32})$/.exec(path) ?? [];
    // No address of a request has these brackets as they are, so nobody can ask for the pattern.
    const call = `${request.method} ${folder ? `${folder}<id>` : path}`;
    const run = Object.hasOwn(routes[part], call) ? routes[part][call] : undefined;
    return run ? run(request, { host, id }) : answer(404, "Not found.");
  }

  async function openEntrance(request: Request): Promise<Response> {
    const refusal = frameNavigation(request);
    if (refusal) return refusal;
    const { hosts, proxy } = origins;
    const headers = entranceHeaders({
      hosts,
      scriptHash: await scriptHash,
      viewsUrl: `${proxy}/views`,
    });
    return new Response(writePage({ hosts, token: await tokens.issue() }), { headers });
  }

  async function takeReports(request: Request, { host, id }: Target): Promise<Response> {
    if (!hasType(request, "application/reports+json", "application/csp-report")) {
      return answer(415, "Send a report.");
    }
    const subject = await desk.reportSubject(host, id);
    if (!subject) return answer(404, "Not found.");
    const text = await readText(request, longestReport);
    if (text === undefined) return answer(413, "Too large.");
    const violations = readReports(parseJson(text), limits.reports);
    // Counted even if nothing in it can be read: a View can send what it likes.
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

  return {
    origins,
    handles: ({ url }) => URL.canParse(url) && origins.locate(new URL(url)) !== undefined,
    register: (view) => register(view, "port"),
    onDiagnostic: (listener) => listen(diagnostics, listener),
    onError: (listener) => listen(errors, listener),

    fetch: async (request) => {
      try {
        if (!open) return answer(503, "Closed.");
        const place = URL.canParse(request.url) && origins.locate(new URL(request.url));
        return place ? await route(request, place) : answer(404, "Not found.");
      } catch (error) {
        const refusal = refusalOf(error);
        if (!refusal) tell(errors, error);
        return refusal ?? answer(500, "Internal error.");
      }
    },

    close: () => {
      open = false;
      diagnostics.clear();
      errors.clear();
      // A store that was given to us may serve other processes.
      if (!config.store) store.close();
    },
  };
}

const STATUS: Partial<Record<SandboxErrorCode, number>> = {
  "bad-html": 400,
  "large-html": 413,
  "bad-identity": 400,
  "store-full": 503,
  "sandbox-closed": 503,
};

function refusalOf(error: unknown): Response | undefined {
  const status = error instanceof LocalError ? STATUS[error.code as SandboxErrorCode] : undefined;
  // What is wrong with a View is told to who sent it; how we are is the operator's to know.
  if (status === undefined) return undefined;
  return answer(status, status < 500 ? (error as Error).message : "Refused.");
}

/**
 * Refuses what is no navigation of a frame: opened by itself, a View would be a page of a stranger
 * under our domain (B49), and fetched by a script it would be used up or read. A browser that does
 * not say what it is doing is refused too.
 */
function frameNavigation({ headers }: Request): Response | undefined {
  const isFrame =
    headers.get("sec-fetch-dest") === "iframe" && headers.get("sec-fetch-mode") === "navigate";
  return isFrame && !headers.has("sec-purpose")
    ? undefined
    : answer(403, "This opens in a frame of its host only.");
}

function serve(stored: StoredResponse | undefined): Response {
  if (!stored)
    return answer(410, "This view was opened already or waited too long. Reload the host.");
  return new Response(stored.body, { headers: stored.headers });
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
      // A listener's fault must not become a View's.
    }
  }
}
