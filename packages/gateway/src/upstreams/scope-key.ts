import { createHash } from "node:crypto";
import type { UpstreamScope } from "./upstream.ts";

/** Who may share a session or a process with whom. */
export type Sharing = "user" | "tenant" | "all";

/**
 * The key under which a session or process is kept. A credential of a user's own is never shared, whatever
 * the operator says about the server.
 */
export function scopeKey({ tenant, user, headers, env }: UpstreamScope, sharing: Sharing): string {
  const hasOwn = Object.keys(headers ?? {}).length > 0 || Object.keys(env ?? {}).length > 0;
  if (hasOwn || sharing === "user") return JSON.stringify([tenant, user, digest(env)]);
  return sharing === "tenant" ? JSON.stringify([tenant]) : "all";
}

/** Variables are read once, at the start: other values need another process. */
function digest(env: UpstreamScope["env"]): string | undefined {
  if (!env || Object.keys(env).length === 0) return undefined;
  const text = JSON.stringify(Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(text).digest("hex");
}
