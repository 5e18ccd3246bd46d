// Metadata comes from servers we don't trust, and in an embedding process not always through JSON.
// So inherited properties are ignored, no getter runs, and a proxy that throws counts as absent
// (E99).

/** The value of an own data property; `undefined` for anything else. */
export function ownValue(target: unknown, key: string): unknown {
  if (!isObject(target)) return undefined;
  try {
    const property = Object.getOwnPropertyDescriptor(target, key);
    return property && "value" in property ? property.value : undefined;
  } catch {
    return undefined;
  }
}

/** The first own keys of an object that isn't an array, at most `count`. */
export function ownKeys(target: unknown, most: number): string[] {
  if (!isRecord(target)) return [];
  try {
    return Object.keys(target).slice(0, most);
  } catch {
    return [];
  }
}

/** Some items of an array, and its length; `undefined` for other values. */
export function ownItems(
  target: unknown,
  most: number,
): { items: unknown[]; length: number } | undefined {
  if (!isList(target)) return undefined;
  const length = ownValue(target, "length");
  if (typeof length !== "number") return undefined;
  const items: unknown[] = [];
  for (let at = 0; at < Math.min(length, most); at += 1) items.push(ownValue(target, String(at)));
  return { items, length };
}

/** True for objects that aren't arrays; false for a revoked proxy. */
export function isRecord(value: unknown): value is object {
  return isObject(value) && typeof value === "object" && !isList(value);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function isList(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    // A revoked proxy can't be read.
    return false;
  }
}
