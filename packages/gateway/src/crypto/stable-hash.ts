import { createHash } from "node:crypto";

/** A hash that does not depend on the order of keys. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("base64url");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
