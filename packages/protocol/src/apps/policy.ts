import { SANDBOX_METHOD_PREFIX } from "./constants.ts";
import { type Decision, refuse } from "./decision.ts";
import { INITIALIZE_METHOD, INITIALIZED_METHOD, PING_METHOD } from "./method-names.ts";
import { findMethod, type Gate, type MethodKind, type MethodRule } from "./methods.ts";
import { quote } from "./mismatch.ts";
import type { McpUiAppCapabilities, McpUiHostCapabilities } from "./types.ts";

/** Why a message is rejected. */
export type MethodRefusal =
  | "sandbox-method" // reserved for Sandbox and Host
  | "unknown-method" // not in the table for this sender
  | "wrong-kind" // a notification sent as a request, or the other way round
  | "not-initialized" // before the handshake is over
  | "capability-missing"; // neither side declared support for it

/** The state of a session when a message arrives. */
export interface Session {
  /** True once `ui/notifications/initialized` has arrived. */
  initialized: boolean;
  /** As declared in the handshake. */
  hostCapabilities?: McpUiHostCapabilities;
  /** As declared in the handshake. */
  appCapabilities?: McpUiAppCapabilities;
}

/** The part of a message that the method policy reads. */
export interface MethodUse {
  from: "view" | "host";
  method: string;
  kind: MethodKind;
  /** Some params need a separate capability. */
  params?: unknown;
}

// `initialized` itself ends the handshake, so it has to pass. A Host may send nothing (HST-42).
const early: ReadonlySet<string> = new Set([INITIALIZE_METHOD, INITIALIZED_METHOD, PING_METHOD]);

/** Decides whether a message may pass between a View and its Host at this moment. */
export function decideMethod(use: MethodUse, session: Session): Decision<MethodRefusal> {
  const { from, method, kind } = use;
  const quoted = quote(method, 64);
  if (method.startsWith(SANDBOX_METHOD_PREFIX)) {
    return refuse("sandbox-method", `${quoted} is between Sandbox and Host; no View may use it.`);
  }
  const rule = findMethod(from, method);
  if (!rule && !isExtension(use, session)) {
    return refuse("unknown-method", `${quoted} is not a method a ${from} may send.`);
  }
  if (rule && rule.kind !== kind) {
    const how = kind === "request" ? "without" : "with";
    return refuse("wrong-kind", `${quoted} is a ${rule.kind}; send it ${how} an id.`);
  }
  if (!session.initialized && !(from === "view" && early.has(method))) {
    return refuse("not-initialized", `${quoted} came too early; wait for ${INITIALIZED_METHOD}.`);
  }
  return rule ? decideGates(rule, use, session) : { allow: true };
}

/** A method outside the tables counts if its receiver declared it under `experimental`. */
function isExtension({ from, method }: MethodUse, session: Session): boolean {
  const receiver = from === "view" ? session.hostCapabilities : session.appCapabilities;
  // A new `ui/` method comes with the specification, not with a flag.
  return !method.startsWith("ui/") && Object.hasOwn(receiver?.experimental ?? {}, method);
}

function decideGates(rule: MethodRule, use: MethodUse, session: Session): Decision<MethodRefusal> {
  const gates = [rule.gate, ...gatesOfParams(rule, use.params)];
  const shut = gates.find((gate) => gate && !isOpen(gate, session));
  return shut
    ? refuse(
        "capability-missing",
        `${quote(rule.method, 64)} needs ${shut}; declare it in the handshake.`,
      )
    : { allow: true };
}

function gatesOfParams(rule: MethodRule, params: unknown): Gate[] {
  if (!rule.paramGates || typeof params !== "object" || params === null) return [];
  return Object.entries(rule.paramGates)
    .filter(([name]) => (params as Record<string, unknown>)[name] !== undefined)
    .map(([, gate]) => gate);
}

/** A capability is an object, however empty; only `listChanged` is a boolean. */
function isOpen(gate: Gate, session: Session): boolean {
  let value: unknown = session;
  for (const key of gate.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  if (gate.endsWith(".listChanged")) return value === true;
  return typeof value === "object" && value !== null;
}
