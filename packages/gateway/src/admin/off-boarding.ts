import type { User } from "../identity/user-token.ts";
import type { AdminParts } from "./admin-parts.ts";
import { record } from "./server-routes.ts";

/** What an off-boarding ended. */
export interface OffBoarded extends User {
  isBlocked: boolean;
  /** Connected views that were closed. */
  views: number;
  /** Grants that were revoked. */
  grants: number;
  /** Calls that waited for an administrator and were rejected. */
  approvals: number;
  /** Servers whose logins were deleted. */
  logins: string[];
  /** Steps that failed, with the reason. Repeat the off-boarding. */
  failed: string[];
}

/**
 * Ends everything that a user has, on every gateway: tokens, tickets, sockets, running calls, grants, logins to
 * servers, and their own processes and sessions. Each step is tried even if another one fails.
 */
export async function offBoard(
  { tenant, user }: User,
  { by, block, reason }: { by: string; block: boolean; reason?: string | undefined },
  parts: AdminParts,
): Promise<OffBoarded> {
  const { gateway, live, logins } = parts;
  const failed: string[] = [];
  const attempt = async <Value>(step: string, none: Value, run: () => Promise<Value>) => {
    try {
      return await run();
    } catch (error) {
      failed.push(`${step}: ${(error as { code?: string }).code ?? "failed"}`);
      return none;
    }
  };
  const views = await attempt("views", 0, async () => {
    const { total } = await live.views({ tenant, user });
    return total;
  });
  // First, so that nothing new begins. Every gateway then closes sockets and ends processes by itself.
  await attempt("revocation", undefined, () =>
    gateway.revocations.revoke(
      { tenant, user },
      { by, block, ...(reason !== undefined && { reason }) },
    ),
  );
  const grants = await attempt("grants", 0, () => gateway.grants.revokeAll({ tenant, user }));
  const approvals = await attempt("approvals", 0, async () => {
    const waiting = (await gateway.approvals.list()).filter(
      (one) => one.tenant === tenant && one.user === user,
    );
    for (const { id } of waiting) await gateway.approvals.reject(id, { by });
    return waiting.length;
  });
  const ended = await attempt("logins", [], () => logins.remove({ tenant, user }));
  const done = { isBlocked: block, views, grants, approvals, logins: ended, failed };
  const action = block ? "off-board" : "revoke-user";
  record(parts, { action, by, tenant, user, ...(reason !== undefined && { reason }), ...done });
  return { tenant, user, ...done };
}
