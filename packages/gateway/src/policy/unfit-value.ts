import { isLargeNumber } from "../json-rpc/parse.ts";

/** Limits for the content of a message. */
export interface ValueLimits {
  depth: number;
  /** Values of all kinds, including nested ones. */
  values: number;
}

/** Why a value can't be passed on as it was checked. */
export interface UnfitValue {
  kind: "depth" | "values" | "number" | "surrogate";
  path: readonly (string | number)[];
}

/**
 * The first value that can't be checked, or that languages read differently: a number that doesn't fit a
 * double, or text with half of a surrogate pair.
 */
export function findUnfitValue(message: unknown, limits: ValueLimits): UnfitValue | undefined {
  let left = limits.values;
  const path: (string | number)[] = [];

  const find = (value: unknown): UnfitValue["kind"] | undefined => {
    if (--left < 0) return "values";
    if (typeof value !== "object" || value === null) return unfitPrimitive(value);
    if (isLargeNumber(value)) return "number";
    if (path.length >= limits.depth) return "depth";
    return Array.isArray(value) ? findInArray(value) : findInObject(value);
  };
  const findInArray = (items: readonly unknown[]): UnfitValue["kind"] | undefined => {
    for (let index = 0; index < items.length; index++) {
      path.push(index);
      const kind = find(items[index]);
      if (kind) return kind;
      path.pop();
    }
    return undefined;
  };
  const findInObject = (members: object): UnfitValue["kind"] | undefined => {
    for (const key of Object.keys(members)) {
      path.push(key);
      const kind = key.isWellFormed()
        ? find((members as Record<string, unknown>)[key])
        : ("surrogate" as const);
      if (kind) return kind;
      path.pop();
    }
    return undefined;
  };
  const kind = find(message);
  return kind && { kind, path };
}

function unfitPrimitive(value: unknown): "surrogate" | "number" | undefined {
  if (typeof value === "string" && !value.isWellFormed()) return "surrogate";
  return typeof value === "number" && !Number.isFinite(value) ? "number" : undefined;
}

const LONGEST_PATH = 120;

/** The path as shown in messages: `params.arguments.amount`. */
export function describePath(path: readonly (string | number)[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
  return text.slice(0, LONGEST_PATH).toWellFormed() || "the message";
}
