// The Cedar engine, loaded only when a policy is configured: it is large, and most gateways on one machine don't
// need it.

/** The part of `@cedar-policy/cedar-wasm` that is used. */
export interface Cedar {
  policySetTextToParts(
    text: string,
  ): { type: "success"; policies: string[]; policy_templates: string[] } | CedarFailure;
  policyToJson(text: string): { type: "success"; json: PolicyJson } | CedarFailure;
  preparsePolicySet(id: string, policies: PolicySet): { type: "success" } | CedarFailure;
  statefulIsAuthorized(call: CedarCall): CedarAnswer | CedarFailure;
  validate(call: {
    schema: string;
    policies: PolicySet;
  }): { type: "success"; validationErrors: CedarFinding[] } | CedarFailure;
}

/** Policies by id, as text or as JSON. */
export interface PolicySet {
  staticPolicies: Record<string, string | PolicyJson>;
}

/** Why a call of the engine failed. */
export interface CedarFailure {
  type: "failure";
  errors: { message: string }[];
}

/** A problem of one policy. */
export interface CedarFinding {
  policyId: string;
  error: { message: string; help: string | null };
}

/** The name of an entity. */
export interface EntityUid {
  type: string;
  id: string;
}

/** An entity with its parents. */
export interface Entity {
  uid: EntityUid;
  attrs: Record<string, unknown>;
  parents: EntityUid[];
}

/** A question to the engine. */
export interface CedarCall {
  principal: EntityUid;
  action: EntityUid;
  resource: EntityUid;
  context: Record<string, unknown>;
  entities: Entity[];
  preparsedPolicySetId: string;
}

/** The engine's answer. */
export interface CedarAnswer {
  type: "success";
  response: {
    decision: "allow" | "deny";
    diagnostics: { reason: string[]; errors: CedarFinding[] };
  };
}

/** Part of a policy's scope. */
export interface Scope {
  op: "All" | "==" | "in" | "is";
  entity?: EntityUid;
  entities?: EntityUid[];
  entity_type?: string;
  in?: { entity: EntityUid };
}

/** A policy as JSON. */
export interface PolicyJson {
  effect: "permit" | "forbid";
  principal: Scope;
  action: Scope;
  resource: Scope;
  conditions: { kind: "when" | "unless"; body: unknown }[];
  annotations?: Record<string, string | null>;
}

/** The engine isn't installed. */
export class CedarMissingError extends Error {
  override readonly name = "CedarMissingError";
  constructor(cause: unknown) {
    super(
      "The configuration has a policy, but @cedar-policy/cedar-wasm isn't installed. Run: npm install @cedar-policy/cedar-wasm",
      { cause },
    );
  }
}

/** Loads the engine. */
export async function loadCedar(): Promise<Cedar> {
  const loaded = await import("@cedar-policy/cedar-wasm/nodejs").catch((cause: unknown) => {
    throw new CedarMissingError(cause);
  });
  return (loaded as unknown as { default: Cedar }).default;
}
