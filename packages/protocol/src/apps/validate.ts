import { copyJson, type JsonLimits } from "./json-copy.ts";
import { LIMITS } from "./limits.ts";
import { PARAMS, type ParamsShape, RESULTS } from "./method-shapes.ts";
import type {
  HostNotifications,
  HostRequests,
  SandboxNotifications,
  ViewNotifications,
  ViewRequests,
} from "./method-types.ts";
import { findMethod, type MethodKind, type Party } from "./methods.ts";
import { describeLimit, describeValue, formatPath, type Mismatch } from "./mismatch.ts";
import type { Shape } from "./shape.ts";
import { check } from "./shape-check.ts";
import { clientCapabilities, resourceMeta, toolMeta } from "./shapes.ts";
import type { McpUiClientCapabilities, McpUiResourceMeta, McpUiToolMeta } from "./types.ts";

/** A clean copy of the received value, or the place of the error. */
export type Validation<T> = { ok: true; value: T } | Mismatch;

/** How to read. */
export interface ValidateOptions {
  /**
   * Follow the published schema exactly, for messages we are about to send. Otherwise unknown keys
   * are kept, and the older spellings that the specification tolerates are accepted.
   */
  strict?: boolean;
  /** How much to read at most. */
  limits?: JsonLimits;
}

interface Requests {
  view: ViewRequests;
  host: HostRequests;
}

interface Notifications {
  view: ViewNotifications;
  host: HostNotifications & SandboxNotifications;
  sandbox: SandboxNotifications;
}

type Results = ViewRequests & HostRequests;

/** Checks the params of a request; `from` is the sender. Never throws. */
export function validateRequest<P extends keyof Requests, M extends keyof Requests[P] & string>(
  from: P,
  method: M,
  params: unknown,
  options?: ValidateOptions,
): Validation<Requests[P][M] extends { params: infer T } ? T : never>;
export function validateRequest(
  from: Party,
  method: string,
  params: unknown,
  options?: ValidateOptions,
): Validation<unknown>;
export function validateRequest(
  from: Party,
  method: string,
  params: unknown,
  options: ValidateOptions = {},
): Validation<unknown> {
  return validateParams("request", from, method, params, options);
}

/** Checks the params of a notification; `from` is the sender. Never throws. */
export function validateNotification<
  P extends keyof Notifications,
  M extends keyof Notifications[P] & string,
>(from: P, method: M, params: unknown, options?: ValidateOptions): Validation<Notifications[P][M]>;
export function validateNotification(
  from: Party,
  method: string,
  params: unknown,
  options?: ValidateOptions,
): Validation<unknown>;
export function validateNotification(
  from: Party,
  method: string,
  params: unknown,
  options: ValidateOptions = {},
): Validation<unknown> {
  return validateParams("notification", from, method, params, options);
}

/** Checks the result of a request; a method has one result shape for every sender. Never throws. */
export function validateResult<M extends keyof Results>(
  method: M,
  result: unknown,
  options?: ValidateOptions,
): Validation<Results[M]["result"]>;
export function validateResult(
  method: string,
  result: unknown,
  options?: ValidateOptions,
): Validation<unknown>;
export function validateResult(
  method: string,
  result: unknown,
  options: ValidateOptions = {},
): Validation<unknown> {
  const shape = RESULTS.get(method);
  return shape ? validateShape(shape, "result", result, options) : unknownMethod("request", method);
}

interface Metas {
  resource: McpUiResourceMeta;
  tool: McpUiToolMeta;
  client: McpUiClientCapabilities;
}

const metas: Record<keyof Metas, Shape> = {
  resource: resourceMeta,
  tool: toolMeta,
  client: clientCapabilities,
};

/** Checks `_meta.ui` of a resource or a tool, or what a Host announces to Servers. Never throws. */
export function validateMeta<K extends keyof Metas>(
  of: K,
  value: unknown,
  options?: ValidateOptions,
): Validation<Metas[K]> {
  return validateShape(metas[of], of, value, options) as Validation<Metas[K]>;
}

function validateParams(
  kind: MethodKind,
  from: Party,
  method: string,
  params: unknown,
  options: ValidateOptions,
): Validation<unknown> {
  const entry = findMethod(from, method)?.kind === kind ? PARAMS.get(method) : undefined;
  if (!entry) return unknownMethod(`${kind} a ${from} may send`, method);
  const given = params === undefined && mayBeAbsent(entry, options) ? {} : params;
  return validateShape(entry.shape, "params", given, options);
}

function mayBeAbsent({ absent }: ParamsShape, { strict }: ValidateOptions): boolean {
  return absent === "always" || (absent === "leniently" && !strict);
}

function unknownMethod(wanted: string, method: string): Mismatch {
  return {
    ok: false,
    path: "method",
    expected: `the name of a ${wanted}`,
    received: describeValue(method),
  };
}

/** Checks a value against any shape, under a name for the error path. */
export function validateShape(
  shape: Shape,
  root: string,
  value: unknown,
  { strict = false, limits = LIMITS.toView }: ValidateOptions = {},
): Validation<unknown> {
  const copy = copyJson(value, limits);
  if (!copy.ok) {
    const path = formatPath(root, copy.path);
    const expected = describeLimit(copy.code, limits);
    return { ok: false, path, expected, received: describeValue(copy.value) };
  }
  const departure = check(shape, copy.value, strict);
  if (!departure) return { ok: true, value: copy.value };
  const { expected } = departure;
  const received = describeValue(departure.value);
  return { ok: false, path: formatPath(root, departure.path), expected, received };
}
