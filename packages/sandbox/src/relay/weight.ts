import { boundsFor, type Refusal } from "./gate.ts";
import type { RelayLimits } from "./page-settings.ts";

/** The size of a value, as far as it was counted. */
export interface Weight {
  /** Characters of strings and keys, bytes of all that is binary. */
  size: number;
  /** Values of any kind, at any depth; an array has as many as it is long. */
  values: number;
}

/** The factor above its limit at which a message can't be a mistake. */
const FACTOR = 8;

// Each is fast to send and slow to check; the other rejections are fast to check.
const STRIKES: readonly Refusal[] = ["too-large", "too-many-values", "too-deep", "not-json"];

/**
 * Counts rejected messages, and returns the reason once a View has to be stopped: one message far
 * above the limits, or too many invalid ones.
 */
export function createScales(
  limits: RelayLimits,
): (refusal: Refusal, data: unknown) => string | undefined {
  let strikes = 0;
  return (refusal, data) => {
    const bounds = boundsFor(Object(data).method, limits);
    const most: Weight = { size: FACTOR * bounds.size, values: FACTOR * bounds.values };
    const { size, values } = weigh(data, most);
    if (size >= most.size) {
      return `a message of more than ${Number((most.size / 2 ** 20).toPrecision(2))} MB`;
    }
    if (values >= most.values) return `a message of more than ${most.values} values`;
    if (STRIKES.includes(refusal)) strikes += 1;
    if (strikes <= limits.strikes) return undefined;
    return `more than ${limits.strikes} messages that cannot be relayed`;
  };
}

/**
 * Weighs a value of any kind, up to a bound. It keeps a list of what is open and does not call
 * itself, because a View chooses how deep its message is. Never throws.
 */
export function weigh(value: unknown, most: Weight): Weight {
  const weight: Weight = { size: 0, values: 1 };
  const open: unknown[] = [value];
  const seen = new Set<unknown>();
  try {
    while (open.length > 0 && weight.size < most.size && weight.values < most.values) {
      const next = open.pop();
      if (typeof next === "string") weight.size += next.length;
      // Counting its digits is slow; comparing it with this limit is fast.
      const isLong = typeof next === "bigint" && BigInt.asIntN(most.size, next) !== next;
      if (isLong) weight.size += most.size / 8;
      // Once: structured clone sends an object once, however often it is referenced, also in cycles.
      if (Object(next) !== next || seen.has(next)) continue;
      seen.add(next);
      unpack(next as Contents, { weight, open, most });
    }
  } catch {
    // A value that can't be read was rejected anyway; keep the count so far.
  }
  return weight;
}

/** The members read from objects of any kind; only plain objects can define them themselves. */
type Contents = Iterable<unknown> & Record<string, unknown> & Record<Measure, number | undefined>;
type Measure = "length" | "size" | "byteLength";

interface Walk {
  weight: Weight;
  most: Weight;
  open: unknown[];
}

/** Adds the members of an object to the open list, unless there are too many. */
function unpack(object: Contents, { weight, most, open }: Walk): void {
  const tag = Object.prototype.toString.call(object).slice(8, -1);
  if (["Array", "Map", "Set"].includes(tag)) {
    // By its length and not by its items: holes become values in JSON.
    weight.values += object.length ?? object.size ?? 0;
    if (weight.values < most.values) for (const item of object) open.push(item);
  } else if (tag === "Object") {
    const keys = Object.keys(object);
    weight.values += keys.length;
    if (weight.values < most.values) for (const key of keys) open.push(key, object[key]);
  } else measure(object, { weight, open });
}

/** The same for values that are neither arrays nor plain objects. */
function measure(object: Contents, { weight, open }: Pick<Walk, "weight" | "open">): void {
  const { byteLength, size, buffer, data, message, stack, source } = object;
  // A view of one byte includes its whole buffer.
  weight.size += (buffer ? 0 : (byteLength ?? size)) ?? 0;
  // Pictures, errors, patterns, and strings in the shape of an object.
  open.push(buffer, data, message, stack, source, object.valueOf());
}
