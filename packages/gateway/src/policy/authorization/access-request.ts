// A request as Cedar's entities and context.

import type { TicketClaims } from "../../identity/view-ticket.ts";
import type { Caller } from "../caller.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import type { CedarCall, Entity, EntityUid } from "./cedar.ts";
import { hintsOf } from "./tool-hints.ts";

/** What somebody wants to do. */
export type AccessTarget =
  | {
      action: "call";
      tool: ToolDefinition;
      arguments?: unknown;
      /** Whether an operator approved the tool's definition. */
      isApproved?: () => boolean;
    }
  | { action: "prompt"; prompt: string }
  | { action: "read"; uri: string };

/** What the policies read of a call, so that nothing else has to be prepared. */
export interface PolicyReads {
  arguments: boolean;
  approval: boolean;
  /** Conditions about groups themselves. The scope of a policy needs only the parents of the user. */
  groups: boolean;
}

/** A request to decide about. */
export interface AccessRequest {
  caller: Pick<Caller, "tenant" | "user" | "party" | "groups" | "issuer"> & {
    ticket?: Pick<TicketClaims, "resource">;
  };
  server: string;
  target: AccessTarget;
}

/** The arguments can't be passed to a policy. */
export class UnreadableArgumentsError extends Error {
  override readonly name = "UnreadableArgumentsError";
}

const DEEPEST = 16;
const MOST_VALUES = 10_000;
const LONGEST_TEXT = 65_536;

/** Creates the engine's question, without the set of policies. */
export function toCall(
  { caller, server, target }: AccessRequest,
  reads: PolicyReads,
): Omit<CedarCall, "preparsedPolicySetId"> {
  const { tenant, party, ticket } = caller;
  const tenantUid = uid("Tenant", tenant);
  const { user, groups } = principalEntities(caller);
  const resource: Entity = {
    ...resourceOf(target, server, reads),
    parents: [uid("Server", server)],
  };
  const input = target.action === "call" && reads.arguments ? target.arguments : undefined;
  return {
    principal: user.uid,
    action: uid("Action", target.action),
    resource: resource.uid,
    context: {
      caller: party,
      tenant: { __entity: tenantUid },
      ...(ticket && { view: ticket.resource }),
      ...(target.action === "call" && { input: toRecord(input ?? {}) }),
    },
    entities: reads.groups ? [user, ...groups, resource] : [user, resource],
  };
}

/** A question about a server as a whole. */
export function toServerCall(
  caller: AccessRequest["caller"],
  server: string,
): Omit<CedarCall, "preparsedPolicySetId"> {
  const { user, groups } = principalEntities(caller);
  const resource = uid("Server", server);
  return {
    principal: user.uid,
    action: uid("Action", "call"),
    resource,
    context: {},
    entities: [user, ...groups, { uid: resource, attrs: {}, parents: [] }],
  };
}

function principalEntities({ tenant, user, groups = [], issuer = "" }: AccessRequest["caller"]) {
  const tenantUid = uid("Tenant", tenant);
  const names = groups.map((group) => uid("Group", nameIn(tenant, group)));
  const entity: Entity = {
    uid: uid("User", nameIn(tenant, user)),
    attrs: { name: user, issuer },
    parents: [...names, tenantUid],
  };
  const entities = names.map((name) => ({ uid: name, attrs: {}, parents: [tenantUid] }));
  return { user: entity, groups: entities };
}

/** The entities that a policy's principal may be. */
export function principalsOf({
  principal,
  entities,
}: Pick<CedarCall, "principal" | "entities">): EntityUid[] {
  return [principal, ...(entities[0]?.parents ?? [])];
}

function resourceOf(
  target: AccessTarget,
  server: string,
  reads: PolicyReads,
): Omit<Entity, "parents"> {
  if (target.action === "prompt") {
    const { prompt } = target;
    return { uid: uid("Prompt", `${server}/${prompt}`), attrs: { name: prompt } };
  }
  if (target.action === "read") {
    return { uid: uid("Resource", `${server}/${target.uri}`), attrs: { uri: target.uri } };
  }
  const { tool, isApproved } = target;
  const { name } = tool;
  return {
    uid: uid("Tool", `${server}/${name}`),
    // Hashing a definition takes time, and most policies don't ask whether it is approved.
    attrs: { name, ...hintsOf(tool), approved: reads.approval && isApproved?.() === true },
  };
}

/** The first slash ends the tenant, so that "a/b" and "c" can't be taken for "a" and "b/c". */
export function nameIn(tenant: string, name: string): string {
  return `${tenant.replaceAll(/[%/]/g, encodeURIComponent)}/${name}`;
}

function uid(type: string, id: string): EntityUid {
  return { type: `Vitrine::${type}`, id };
}

/** Arguments as Cedar reads them. A key such as `__entity` would make text an entity, so it isn't passed on. */
function toRecord(input: unknown): Record<string, unknown> {
  let left = MOST_VALUES;
  const convert = (value: unknown, depth: number): unknown => {
    if (--left < 0 || depth > DEEPEST) throw new UnreadableArgumentsError("too many values");
    if (typeof value === "boolean") return value;
    if (typeof value === "string") {
      if (value.length > LONGEST_TEXT) throw new UnreadableArgumentsError("a long text");
      return value;
    }
    if (typeof value === "number" || typeof value === "bigint") return convertNumber(value);
    if (Array.isArray(value)) {
      return value.filter((one) => one !== null).map((one) => convert(one, depth + 1));
    }
    const entries = Object.entries(Object(value) as object).filter(([, one]) => one !== null);
    return Object.fromEntries(
      entries.map(([key, one]) => {
        if (key.startsWith("__")) throw new UnreadableArgumentsError(`the key ${key}`);
        return [key, convert(one, depth + 1)];
      }),
    );
  };
  return convert(Object(input), 0) as Record<string, unknown>;
}

/** Whole numbers are Long. Others are decimal, which has four digits; what doesn't fit is text. */
function convertNumber(value: number | bigint): unknown {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return Number(value);
  const text = value.toFixed(4);
  const isExact = Number(text) === value && Math.abs(value) < 9e14;
  return isExact ? { __extn: { fn: "decimal", arg: text } } : `${value}`;
}
