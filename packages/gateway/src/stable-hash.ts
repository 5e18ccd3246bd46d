import { createHash } from "node:crypto";
import type { ToolDefinition } from "./pipeline/exchange.ts";

/** A hash that does not depend on the order of keys. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("base64url");
}

// By identity: a definition lives as long as the catalogue it came in, and is asked about with each call.
const toolHashes = new WeakMap<ToolDefinition, string>();

/** The hash of a tool's definition: what was approved, and what is called. */
export function toolHashOf(tool: ToolDefinition): string {
  const hash = toolHashes.get(tool) ?? hashOf(tool);
  toolHashes.set(tool, hash);
  return hash;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
