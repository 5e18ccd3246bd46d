/** Limits for reading an untrusted value. */
export interface JsonLimits {
  /** Arrays and objects inside each other. */
  depth: number;
  /** Values of any kind, at any depth. */
  values: number;
  /**
   * Characters of strings and keys, plus one per value. That is close to the bytes of ASCII JSON;
   * an exact count would encode a message only to learn that it is too long.
   */
  size: number;
}

/** Why a value could not be copied. */
export type CopyFailureCode =
  | "too-deep"
  | "too-many-values"
  | "too-large"
  | "not-json"
  | "unreadable";

/** A copy that is safe to read repeatedly, or the reason why there is none. */
export type CopyResult =
  | { ok: true; value: unknown; size: number }
  | { ok: false; code: CopyFailureCode; path: readonly (string | number)[]; value: unknown };

interface Walk {
  readonly limits: JsonLimits;
  readonly path: (string | number)[];
  values: number;
  size: number;
}

/** Ends a walk from any depth; caught in `copyJson`, never seen outside. */
class Stop {
  readonly code: CopyFailureCode;
  readonly value: unknown;

  constructor(code: CopyFailureCode, value: unknown) {
    this.code = code;
    this.value = value;
  }
}

/**
 * Copies what JSON can carry. Every property is read once, so a getter can't return two values;
 * cycles end at the depth limit; own `__proto__` keys are left out, because assigning one would
 * replace a prototype. Never throws.
 */
export function copyJson(value: unknown, limits: JsonLimits): CopyResult {
  const walk: Walk = { limits, path: [], values: 0, size: 0 };
  try {
    return { ok: true, value: copyValue(value, walk), size: walk.size };
  } catch (thrown) {
    // Any error but our own `Stop` comes from a getter or a proxy trap.
    const stop = thrown instanceof Stop ? thrown : new Stop("unreadable", undefined);
    return { ok: false, code: stop.code, path: walk.path, value: stop.value };
  }
}

function copyValue(value: unknown, walk: Walk): unknown {
  walk.values += 1;
  if (walk.values > walk.limits.values) throw new Stop("too-many-values", value);
  grow(1, value, walk);
  switch (typeof value) {
    case "string":
      grow(value.length, value, walk);
      return value;
    case "number":
    case "boolean":
    case "undefined":
      return value;
    case "object":
      return value === null ? null : copyContainer(value, walk);
    default:
      throw new Stop("not-json", value);
  }
}

function copyContainer(value: object, walk: Walk): unknown {
  if (walk.path.length >= walk.limits.depth) throw new Stop("too-deep", value);
  if (Array.isArray(value)) return copyArray(value, walk);
  // Maps, dates, buffers and errors survive structured clone but not JSON; plain objects of other
  // realms have a foreign prototype, so the tag decides and not the prototype.
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw new Stop("not-json", value);
  return copyObject(value as Record<string, unknown>, walk);
}

function copyArray(value: readonly unknown[], walk: Walk): unknown[] {
  const { length } = value;
  // Before the loop: `new Array(2 ** 32 - 1)` is small to send and slow to visit.
  if (length > walk.limits.values - walk.values) throw new Stop("too-many-values", value);
  const copy: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    walk.path.push(index);
    // As JSON does: a hole or `undefined` in an array becomes null.
    copy.push(copyValue(value[index], walk) ?? null);
    walk.path.pop();
  }
  return copy;
}

function copyObject(value: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") continue;
    walk.path.push(key);
    grow(key.length, value, walk);
    const item = copyValue(value[key], walk);
    if (item !== undefined) copy[key] = item;
    walk.path.pop();
  }
  return copy;
}

function grow(by: number, value: unknown, walk: Walk): void {
  walk.size += by;
  if (walk.size > walk.limits.size) throw new Stop("too-large", value);
}
