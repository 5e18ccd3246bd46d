// Decides by policies. Nothing is allowed unless a policy permits it, a forbid always wins, and a forbid that
// can't be evaluated denies.

import { hash } from "node:crypto";
import {
  type AccessRequest,
  principalsOf,
  toCall,
  toServerCall,
  UnreadableArgumentsError,
} from "./access-request.ts";
import type { Cedar, CedarAnswer, CedarCall } from "./cedar.ts";
import type { Approver, Policy } from "./policy-files.ts";
import {
  forLists,
  forServers,
  forTemplates,
  nameOf,
  type PolicySlice,
  type PolicySlices,
  preparePolicies,
  readsApproval,
  readsArguments,
  readsGroups,
} from "./policy-slices.ts";

/** A decision. */
export interface AccessDecision {
  verdict: "allow" | "deny";
  /** The ids of the policies that decided. Empty if no policy permits the request. */
  policies: readonly string[];
  /** The person who has to approve exactly this call. */
  approval?: Approver;
  /** The policies only observe: the decision is recorded and not enforced. */
  isOnlyRecorded?: true;
  /** Why a policy couldn't be evaluated, for the operator. */
  problem?: string;
}

/** Decides about requests. */
export interface Authorizer {
  /** Decides about a request with its arguments. */
  decide(request: AccessRequest): AccessDecision;
  /** Whether a request with some arguments may be allowed, for lists. */
  mayAllow(request: AccessRequest): boolean;
  /** Whether some address of a resource template may be read. */
  mayReadSome(request: Omit<AccessRequest, "target"> & { template: string }): boolean;
  /** Whether a user may be allowed anything at a server. */
  maySee(caller: AccessRequest["caller"], server: string): boolean;
  /** Frees the prepared policies. */
  close(): void;
}

/** Decisions that are kept for each kind of request. */
const MOST_KNOWN = 20_000;

/** Creates an authorizer. */
export function createAuthorizer(cedar: Cedar, policies: readonly Policy[]): Authorizer {
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const calls = preparePolicies(cedar, policies);
  const lists = preparePolicies(cedar, forLists(policies));
  const servers = preparePolicies(cedar, forServers(policies));
  const templates = preparePolicies(cedar, forTemplates(policies));
  const reads = {
    arguments: policies.some(({ json }) => readsArguments(json.conditions)),
    approval: policies.some(({ json }) => readsApproval(json.conditions)),
    groups: policies.some(({ json }) => readsGroups(json.conditions)),
  };

  /** A user lists and calls the same tools again and again, mostly under policies that read no arguments. */
  const known = new Map<PolicySlices, Map<string, AccessDecision>>();

  const evaluate = (call: Question, slices: readonly PolicySlice[]): AccessDecision => {
    const answers = slices.map(({ id }) =>
      cedar.statefulIsAuthorized({ ...call, preparsedPolicySetId: id }),
    );
    return combine(answers, byId);
  };
  const ask = (call: Question, slices: PolicySlices, server: string): AccessDecision => {
    const found = slices.find(principalsOf(call).map(nameOf), server);
    if (found.some(({ readsArguments }) => readsArguments)) return evaluate(call, found);
    const decisions = known.get(slices) ?? new Map<string, AccessDecision>();
    known.set(slices, decisions);
    const key = keyWithoutArguments(call);
    const before = decisions.get(key);
    if (before) return before;
    const decision = Object.freeze(evaluate(call, found));
    if (decisions.size >= MOST_KNOWN) decisions.clear();
    decisions.set(key, decision);
    return decision;
  };
  return {
    decide: (request) => {
      try {
        return ask(toCall(request, reads), calls, request.server);
      } catch (error) {
        if (!(error instanceof UnreadableArgumentsError)) throw error;
        const problem = `The arguments can't be checked by a policy: ${error.message}.`;
        return { verdict: "deny", policies: [], problem };
      }
    },
    mayAllow: (request) =>
      ask(toCall(request, { ...reads, arguments: false }), lists, request.server).verdict ===
      "allow",
    mayReadSome: ({ template, ...request }) => {
      const call = toCall({ ...request, target: { action: "read", uri: template } }, reads);
      return ask(call, templates, request.server).verdict === "allow";
    },
    maySee: (caller, server) =>
      ask(toServerCall(caller, server), servers, server).verdict === "allow",
    close: () => {
      calls.release();
      lists.release();
      servers.release();
      templates.release();
    },
  };
}

type Question = Omit<CedarCall, "preparsedPolicySetId">;

/** Identifies everything that a decision depends on if no policy reads the arguments. */
function keyWithoutArguments({ context, ...call }: Question): string {
  const { input: _input, ...rest } = context;
  return hash("sha256", JSON.stringify([call, rest]), "base64url");
}

function combine(
  answers: readonly ReturnType<Cedar["statefulIsAuthorized"]>[],
  byId: ReadonlyMap<string, Policy>,
): AccessDecision {
  const permits: string[] = [];
  const forbids: string[] = [];
  let problem: string | undefined;
  for (const answer of answers) {
    const { decision, diagnostics } = responseOf(answer);
    (decision === "allow" ? permits : forbids).push(...diagnostics.reason);
    for (const { policyId, error } of diagnostics.errors) {
      // A permit that can't be evaluated permits nothing. A forbid might have forbidden the request.
      if (byId.get(policyId)?.json.effect !== "forbid") continue;
      forbids.push(policyId);
      problem = error.message;
    }
  }
  const isAllowed = forbids.length === 0 && permits.length > 0;
  const approval = isAllowed && leastApproval(permits, byId);
  return {
    verdict: isAllowed ? "allow" : "deny",
    policies: isAllowed ? permits : forbids,
    ...(approval && { approval }),
    ...(problem !== undefined && { problem }),
  };
}

function responseOf(answer: ReturnType<Cedar["statefulIsAuthorized"]>): CedarAnswer["response"] {
  if (answer.type === "success") return answer.response;
  throw new Error(answer.errors.map(({ message }) => message).join("; "));
}

/** Permits are alternatives, so the one that wants least decides. */
function leastApproval(
  permits: readonly string[],
  byId: ReadonlyMap<string, Policy>,
): Approver | undefined {
  const wanted = permits.map((id) => byId.get(id)?.approval);
  if (wanted.includes(undefined)) return undefined;
  return wanted.includes("user") ? "user" : "admin";
}
