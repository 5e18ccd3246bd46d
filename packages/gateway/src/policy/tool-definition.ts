import { hashOf } from "../crypto/stable-hash.ts";

/** The part of a tool's definition that the gateway reads. The server controls it. */
export interface ToolDefinition {
  name: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: { readOnlyHint?: unknown };
  _meta?: unknown;
}

// A definition lives as long as the catalogue it came in, and large ones take long to hash.
const hashes = new WeakMap<ToolDefinition, string>();

/** The hash of a tool's definition: it ties an approval to the tool that is called. */
export function toolHashOf(tool: ToolDefinition): string {
  const hash = hashes.get(tool) ?? hashOf(tool);
  hashes.set(tool, hash);
  return hash;
}
