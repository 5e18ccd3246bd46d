// Decides what a view may ask its server for. The page's host has decided the same before, for a fast
// answer; this decision counts.

import { INVALID_PARAMS, METHOD_NOT_FOUND, REFUSED, RpcError } from "@vitrine/protocol";
import { decideToolCall, limitsFor, type Tool } from "@vitrine/protocol/apps";
import { describeMismatch, validateRequest } from "@vitrine/protocol/apps/validation";
import type { ConsentVerdict } from "../consent/consent-memory.ts";
import { forServer } from "../gate/server-params.ts";
import { catalogueOf } from "../resources/tool-catalogue.ts";
import { UPSTREAM_METHODS, type Upstream, type UpstreamMethod } from "../upstreams/upstream.ts";
import { CONSENT_REQUIRED } from "./remote-messages.ts";
import { hashOf, type TokenSigner } from "./signed-token.ts";

/** The user of a request. */
export interface AppsUser {
  /** Your stable id of the user: part of what a consent and a view are bound to. */
  readonly id: string;
  readonly tenant?: string | undefined;
}

/** A view's call of a tool. */
export interface ViewCall<User extends AppsUser = AppsUser> {
  readonly user: User;
  readonly server: string;
  /** The `ui://` address of the view. */
  readonly resource: string;
  readonly tool: Tool;
  readonly arguments: Record<string, unknown>;
}

/** What views may do. */
export interface AppsPolicy<User extends AppsUser = AppsUser> {
  /** Runs before the default rule; return nothing to use the default rule. */
  rule?(call: ViewCall<User>): ConsentVerdict | undefined | Promise<ConsentVerdict | undefined>;
  /** Whether the user is asked about tools that declare that they only read; `"allow"` by default. */
  readOnlyTools?: "allow" | "ask";
  /** The methods that views may use; all by default. */
  methods?: readonly UpstreamMethod[];
}

/** Why a request of a view was rejected. */
export type DenialCode =
  | "method" // not a method for views, or not one that the policy lists
  | "params" // malformed or too large
  | "unknown-tool"
  | "not-visible" // the tool isn't for apps
  | "other-server"
  | "rule" // the product's rule
  | "consent"; // without the user's consent to exactly this call, or with one that was used

/** A rejected request. */
export class Denial extends RpcError {
  declare readonly reason: DenialCode;

  constructor(reason: DenialCode, code: number, message: string, data?: unknown) {
    super(code, message, data);
    this.reason = reason;
  }
}

/** A view that has been opened, and who opened it. */
export interface KnownView<User extends AppsUser> {
  user: User;
  server: string;
  resource: string;
  upstream: Upstream;
}

/** A request of a view that may be sent to its server. */
export interface AllowedRequest {
  method: UpstreamMethod;
  params: Record<string, unknown>;
  tool?: Tool;
}

// Users read before they answer.
const CONSENT_TIME = 5 * 60_000;
const MOST_SPENT = 100_000;

/** Decides requests. Rejects with a `Denial`. */
export function createCallPolicy<User extends AppsUser>(
  signer: TokenSigner,
  { rule, readOnlyTools = "allow", methods = UPSTREAM_METHODS }: AppsPolicy<User>,
): {
  decide(
    view: KnownView<User>,
    request: { method: string; params: unknown; consent: unknown },
  ): Promise<AllowedRequest>;
} {
  const consents = createConsents(signer);

  const decideCall = async (
    { user, server, resource, upstream }: KnownView<User>,
    params: { name: string; arguments?: Record<string, unknown> },
    consent: unknown,
  ): Promise<Tool> => {
    const { name, arguments: given = {} } = params;
    const tool = await catalogueOf(upstream).find(name);
    const decided = decideToolCall({ name, tool, server: upstream.server, viewServer: server });
    if (!decided.allow || !tool) {
      const { code, reason } = decided as { code: DenialCode; reason: string };
      throw new Denial(code, REFUSED, reason);
    }
    const call: ViewCall<User> = { user, server, resource, tool, arguments: given };
    const isReader = tool.annotations?.readOnlyHint === true;
    const verdict = (await rule?.(call)) ?? (isReader ? readOnlyTools : "ask");
    if (verdict === "allow") return tool;
    if (verdict !== "ask") {
      throw new Denial("rule", REFUSED, `This product doesn't let apps call "${name}".`);
    }
    if (consent === undefined) {
      const data = { consent: await consents.challenge(call) };
      throw new Denial("consent", CONSENT_REQUIRED, `Ask the user before "${name}".`, data);
    }
    if (!(await consents.spend(consent, call))) {
      throw new Denial("consent", REFUSED, `The user's consent to "${name}" isn't valid.`);
    }
    return tool;
  };

  return {
    decide: async (view, { method, params: given, consent }) => {
      if (!isUpstreamMethod(method) || !methods.includes(method)) {
        throw new Denial("method", METHOD_NOT_FOUND, `Views can't use ${method} here.`);
      }
      const checked = validateRequest("view", method, given, {
        limits: limitsFor("view", method),
      });
      if (!checked.ok) throw new Denial("params", INVALID_PARAMS, describeMismatch(checked));
      const params = forServer(method, checked.value as object);
      if (method !== "tools/call") return { method, params };
      return { method, params, tool: await decideCall(view, params as never, consent) };
    },
  };
}

function isUpstreamMethod(method: string): method is UpstreamMethod {
  return (UPSTREAM_METHODS as readonly string[]).includes(method);
}

/**
 * The user's consent to one call. The page's host asks the user; what it brings back must be what this
 * process asked about, so it can't be used for another call, by another user, or twice.
 */
function createConsents(signer: TokenSigner): {
  challenge(call: ViewCall): Promise<string>;
  spend(consent: unknown, call: ViewCall): Promise<boolean>;
} {
  const spent = new Map<string, number>();
  const describe = async ({ user, server, resource, tool, arguments: given }: ViewCall) => ({
    kind: "consent",
    call: await hashOf([user.tenant ?? null, user.id, server, resource, tool, given]),
  });
  return {
    challenge: async (call) =>
      signer.sign({ ...(await describe(call)), id: crypto.randomUUID() }, CONSENT_TIME),
    spend: async (consent, call) => {
      const stated = await signer.read(consent);
      const { kind, call: hash } = await describe(call);
      if (stated?.kind !== kind || stated.call !== hash || typeof stated.id !== "string") {
        return false;
      }
      const now = Date.now();
      for (const [id, expires] of spent) {
        // In the order of their expiry.
        if (expires > now) break;
        spent.delete(id);
      }
      if (spent.has(stated.id) || spent.size >= MOST_SPENT) return false;
      spent.set(stated.id, now + CONSENT_TIME);
      return true;
    },
  };
}
