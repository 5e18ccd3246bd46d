import { isRecord } from "./plain-data.ts";

/** The value at a JSON Pointer (RFC 6901), of own properties alone; `undefined` if it leads nowhere. */
export function valueAt(data: unknown, pointer: string): unknown {
  let found = data;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    else found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** The data of a block: the value itself, or what its pointer leads to; everything if it has none. */
export function blockData(given: unknown, result: unknown): unknown {
  if (given === undefined) return result;
  return typeof given === "string" ? valueAt(result, given) : given;
}
