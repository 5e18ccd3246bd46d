import type { UpstreamScope } from "./upstream.ts";

/** Which users may share a session or a process. */
export type Sharing = "user" | "tenant" | "all";

/**
 * The key of a session or process. A user's own credential is never shared, whatever the operator configured
 * for the server.
 */
export function scopeKey({ tenant, user, headers }: UpstreamScope, sharing: Sharing): string {
  const hasOwn = Object.keys(headers ?? {}).length > 0;
  if (hasOwn || sharing === "user") return JSON.stringify([tenant, user]);
  return sharing === "tenant" ? JSON.stringify([tenant]) : "all";
}
