// Tries policies on recorded calls. A record doesn't always contain the arguments; then a call is judged only
// if every possible argument leads to the same decision.

import type { AuditRecord } from "../../audit/record.ts";
import type { AccessRequest } from "./access-request.ts";
import { type AccessDecision, createAuthorizer } from "./authorizer.ts";
import type { Cedar } from "./cedar.ts";
import type { Policy } from "./policy-files.ts";
import { forLists, readsArguments } from "./policy-slices.ts";
import { toolOfHints } from "./tool-hints.ts";

/** What policies decide, in a word. */
export type PolicyOutcome = "allow" | "deny" | "approve" | "approve-admin";

/** A recorded call and what other policies decide about it. */
export type Judgement =
  | { kind: "judged"; before: PolicyOutcome; after: PolicyOutcome; policies: readonly string[] }
  /** `other`: not a tool call, or rejected before the policies were asked. */
  | { kind: "other" | UnjudgedReason };

/** Why a call can't be judged. */
export type UnjudgedReason = "arguments" | "old" | "groups";

/** Judges recorded calls. */
export interface Replay {
  judge(record: AuditRecord): Judgement;
  close(): void;
}

/** Checks that run after the policies. */
const AFTER: ReadonlySet<string> = new Set([
  "authorization",
  "quota",
  "approval",
  "consent",
  "audit",
]);

/** Prepares policies for recorded calls. */
export function createReplay(cedar: Cedar, policies: readonly Policy[]): Replay {
  const exact = createAuthorizer(cedar, policies);
  const mostAllowed = createAuthorizer(cedar, forLists(policies));
  const leastAllowed = createAuthorizer(cedar, forDoubt(policies));
  const all = [exact, mostAllowed, leastAllowed];
  return {
    judge: (record) => {
      const request = requestOf(record);
      if (typeof request === "string") return { kind: request };
      // A hash next to the arguments means that some were redacted or cut.
      const isKnown = record.arguments !== undefined && record.argumentsHash === undefined;
      const decision = (isKnown ? exact : mostAllowed).decide(request);
      const after = outcomeOf(decision);
      const isSure = isKnown || outcomeOf(leastAllowed.decide(request)) === after;
      if (!isSure) return { kind: "arguments" };
      const before = outcomeBefore(record.decision);
      return { kind: "judged", before, after, policies: decision.policies };
    },
    close: () => {
      for (const authorizer of all) authorizer.close();
    },
  };
}

/** The call of a record, or why there is none that can be judged. */
function requestOf(record: AuditRecord): AccessRequest | "other" | UnjudgedReason {
  const { server, tool, actor, caller, hints } = record;
  if (!isCall(record) || !server || !tool || !actor) return "other";
  if (!caller || hints === undefined) return "old";
  if (record.groupsCut) return "groups";
  const { party, groups, issuer, viewUri } = caller;
  return {
    caller: {
      ...{ tenant: actor.tenant, user: actor.user, party },
      ...(groups && { groups }),
      ...(issuer !== undefined && { issuer }),
      ...(viewUri !== undefined && { ticket: { resource: viewUri } }),
    },
    server,
    target: {
      action: "call",
      tool: toolOfHints(tool, hints),
      arguments: record.arguments,
      isApproved: () => hints.split(",").includes("approved"),
    },
  };
}

function isCall({ event, method, decision }: AuditRecord): boolean {
  const link = decision?.link;
  const wasDecided = link === undefined || AFTER.has(link);
  return event === "request" && method === "tools/call" && wasDecided;
}

/** The decision in a word. */
export function outcomeOf({ verdict, approval }: AccessDecision): PolicyOutcome {
  if (approval === undefined) return verdict;
  return approval === "admin" ? "approve-admin" : "approve";
}

/** What happened: policies that only observed, or that didn't exist yet, allowed everything. */
function outcomeBefore(decision: AuditRecord["decision"]): PolicyOutcome {
  const { link, approval } = decision ?? {};
  if (link === "authorization") return "deny";
  return outcomeOf({
    verdict: "allow",
    policies: [],
    ...(approval && { approval: approval as "user" }),
  });
}

/** The opposite of `forLists`: conditions on arguments count as not met in a permit and as met in a forbid. */
function forDoubt(policies: readonly Policy[]): Policy[] {
  return policies.flatMap((policy) => {
    const { json } = policy;
    const conditions = json.conditions.filter(({ body }) => !readsArguments(body));
    if (json.effect === "permit" && conditions.length < json.conditions.length) return [];
    return [{ ...policy, json: { ...json, conditions } }];
  });
}
