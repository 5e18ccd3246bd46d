// Divides policies by the principal and the server of their scope. A request is checked against the few slices
// that can apply to it, so a decision doesn't take longer the more policies there are for others. The answers
// of the slices can be combined: a permit in any of them allows, a forbid in any of them denies.

import type { Cedar, EntityUid, PolicyJson, Scope } from "./cedar.ts";
import type { Policy } from "./policy-files.ts";

/** Policies that are ready to be evaluated. */
export interface PolicySlices {
  /** The slices that can apply. */
  find(principals: readonly string[], server: string): PolicySlice[];
}

/** A prepared set of policies. */
export interface PolicySlice {
  /** Its name in the engine. */
  readonly id: string;
  /** Whether its answer depends on the arguments of a call. */
  readonly readsArguments: boolean;
}

/** Written in place of a principal or a server that isn't in the scope. */
const ANY = "*";

let sets = 0;
/** Ids of sets that aren't used any more. The engine can't delete a set, only replace it. */
const free: string[] = [];

/** Prepares policies. Call `release` when they were replaced. */
export function preparePolicies(
  cedar: Cedar,
  policies: readonly Pick<Policy, "id" | "json">[],
): PolicySlices & { release(): void } {
  const slices = Map.groupBy(policies, ({ json }) =>
    keyOf(principalOf(json.principal), serverOf(json.resource)),
  );
  const prepared = new Map<string, PolicySlice>();
  for (const [key, members] of slices) {
    const id = free.pop() ?? `vitrine-${++sets}`;
    const staticPolicies = Object.fromEntries(members.map((one) => [one.id, one.json]));
    const answer = cedar.preparsePolicySet(id, { staticPolicies });
    if (answer.type === "failure") throw new Error(answer.errors.map((e) => e.message).join("; "));
    const isOfArguments = members.some(({ json }) => readsArguments(json.conditions));
    prepared.set(key, { id, readsArguments: isOfArguments });
  }
  return {
    find: (principals, server) =>
      [ANY, ...principals].flatMap((principal) =>
        [ANY, server].flatMap((one) => prepared.get(keyOf(principal, one)) ?? []),
      ),
    release: () => {
      for (const { id } of prepared.values()) {
        cedar.preparsePolicySet(id, { staticPolicies: {} });
        free.push(id);
      }
      prepared.clear();
    },
  };
}

/** The name of an entity as it is used in `find`. */
export function nameOf({ type, id }: EntityUid): string {
  return JSON.stringify([type, id]);
}

function keyOf(principal: string, server: string): string {
  return JSON.stringify([principal, server]);
}

function principalOf(scope: Scope): string {
  const entity = entityOf(scope);
  return entity ? nameOf(entity) : ANY;
}

/** The server of a scope: the entity itself, or the part before the slash in the name of a tool. */
export function serverOf(scope: Scope): string {
  const entity = entityOf(scope);
  if (!entity) return ANY;
  return entity.type === "Vitrine::Server" ? entity.id : (entity.id.split("/")[0] ?? ANY);
}

function entityOf({ op, entity, in: within }: Scope): EntityUid | undefined {
  if (op === "is") return within?.entity;
  return op === "All" ? undefined : entity;
}

/** Whether an expression reads the arguments of a call. */
export function readsArguments(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { ".": access, has } = value as Record<string, { left?: unknown; attr?: string }>;
  for (const one of [access, has]) {
    const isContext = (one?.left as { Var?: string } | undefined)?.Var === "context";
    if (isContext && one?.attr === "input") return true;
  }
  // The whole context, such as in an equality.
  return Object.values(value).some((one) => readsArguments(one) || isWholeContext(value, one));
}

/** Whether an expression reads `resource.approved`, or may do so. */
export function readsApproval(value: unknown): boolean {
  return JSON.stringify(value).includes('"approved"');
}

/** Whether an expression names a group, so that it may ask about the group's tenant. */
export function readsGroups(value: unknown): boolean {
  return JSON.stringify(value).includes('"Vitrine::Group"');
}

function isWholeContext(parent: object, value: unknown): boolean {
  const isContext = (value as { Var?: string } | null)?.Var === "context";
  return isContext && !("attr" in parent);
}

/**
 * The policies for a list, where the arguments aren't known yet. A tool is listed if a call with some arguments
 * may be allowed: conditions on arguments count as met in a permit and as not met in a forbid.
 */
export function forLists(policies: readonly Policy[]): Policy[] {
  return policies.flatMap((policy) => {
    const { json } = policy;
    const conditions = json.conditions.filter(({ body }) => !readsArguments(body));
    if (json.effect === "forbid" && conditions.length < json.conditions.length) return [];
    return [{ ...policy, json: { ...json, conditions } satisfies PolicyJson }];
  });
}

/**
 * The policies for the list of resource templates. A template is listed if some address of it may be read:
 * conditions on the resource count as met in a permit and as not met in a forbid.
 */
export function forTemplates(policies: readonly Policy[]): Policy[] {
  return policies.flatMap((policy) => {
    const { json } = policy;
    const isOne = json.resource.op === "==";
    if (isOne && json.resource.entity?.type !== "Vitrine::Resource") return [];
    const conditions = json.conditions.filter(
      ({ body }) => !JSON.stringify(body).includes('{"Var":"resource"}'),
    );
    const isLess = isOne || conditions.length < json.conditions.length;
    if (json.effect === "forbid" && isLess) return [];
    const server = { type: "Vitrine::Server", id: serverOf(json.resource) };
    const resource: Scope = isOne ? { op: "in", entity: server } : json.resource;
    return [{ ...policy, json: { ...json, conditions, resource } }];
  });
}

/**
 * The policies for the list of servers. A server is listed if some permit is about it and nothing forbids it as a
 * whole; conditions can't be checked without a tool.
 */
export function forServers(policies: readonly Policy[]): Policy[] {
  return policies.flatMap((policy) => {
    const { json } = policy;
    const server = serverOf(json.resource);
    const isWhole = json.resource.op === "All" || json.resource.entity?.type === "Vitrine::Server";
    const isUnconditional = json.conditions.length === 0 && json.action.op === "All" && isWhole;
    if (json.effect === "forbid" && !isUnconditional) return [];
    const resource: Scope =
      server === ANY
        ? { op: "All" }
        : { op: "==", entity: { type: "Vitrine::Server", id: server } };
    return [{ ...policy, json: { ...json, conditions: [], action: { op: "All" }, resource } }];
  });
}
