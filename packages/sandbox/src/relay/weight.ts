import { boundsFor, type Refusal } from "./gate.ts";
import type { RelayLimits } from "./page-settings.ts";

/** What there is in a value, as far as it was counted. */
export interface Weight {
  /** Characters of strings and keys, bytes of all that is binary. */
  size: number;
  /** Values of any kind, at any depth; an array has as many as it is long. */
  values: number;
}

/** How far beyond its bound a message is that nobody sends by mistake. */
const FACTOR = 8;

// Each costs its sender little and us a walk through it; the other refusals are told at a glance.
const STRIKES: readonly Refusal[] = ["too-large", "too-many-values", "too-deep", "not-json"];

/**
 * Watches what is refused, and says what was too much once a View has to be stopped for it: one
 * message beyond all reason, or one too many that is only wrong.
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
      // To count its digits is dear; to ask whether it is longer than this is not.
      const isLong = typeof next === "bigint" && BigInt.asIntN(most.size, next) !== next;
      if (isLong) weight.size += most.size / 8;
      // Once: structured clone sends an object once however often it is named, cycles included.
      if (Object(next) !== next || seen.has(next)) continue;
      seen.add(next);
      unpack(next as Contents, { weight, open, most });
    }
  } catch {
    // What cannot be read was refused all the same; what was counted stands.
  }
  return weight;
}

/** What is read of objects of any kind; all but plain ones have it from the browser. */
type Contents = Iterable<unknown> & Record<string, unknown> & Record<Measure, number | undefined>;
type Measure = "length" | "size" | "byteLength";

interface Walk {
  weight: Weight;
  most: Weight;
  open: unknown[];
}

/** Adds what an object holds to what is open, unless that alone is too much. */
function unpack(object: Contents, { weight, most, open }: Walk): void {
  const tag = Object.prototype.toString.call(object).slice(8, -1);
  if (["Array", "Map", "Set"].includes(tag)) {
    // By its length and not by what is there: holes are values too once they are JSON.
    weight.values += object.length ?? object.size ?? 0;
    if (weight.values < most.values) for (const item of object) open.push(item);
  } else if (tag === "Object") {
    const keys = Object.keys(object);
    weight.values += keys.length;
    if (weight.values < most.values) for (const key of keys) open.push(key, object[key]);
  } else measure(object, { weight, open });
}

/** The same for what is neither a list nor a plain object. */
function measure(object: Contents, { weight, open }: Pick<Walk, "weight" | "open">): void {
  const { byteLength, size, buffer, data, message, stack, source } = object;
  // A view of one byte brings all of its buffer along.
  weight.size += (buffer ? 0 : (byteLength ?? size)) ?? 0;
  // Pictures, errors, patterns, and strings in the shape of an object.
  open.push(buffer, data, message, stack, source, object.valueOf());
}
