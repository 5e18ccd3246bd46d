import { AdminError } from "./admin-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import { filterOf } from "./live-routes.ts";
import { offBoard } from "./off-boarding.ts";
import { type AdminRoute, optionalText, textOf } from "./route.ts";
import { record } from "./server-routes.ts";

const MOST = 500;
const MOST_USERS = 100;

/** `/grants`, `/users` */
export const userRoutes: readonly AdminRoute[] = [
  {
    method: "GET",
    path: "/grants",
    run: async ({ query }, { gateway }) => {
      const { tenant, user, server } = filterOf(query);
      const found = (await gateway.grants.all()).filter(
        (grant) =>
          (tenant === undefined || grant.tenant === tenant) &&
          (user === undefined || grant.user === user) &&
          (server === undefined || grant.server === server),
      );
      const items = found.slice(0, MOST).map(({ toolHash: _hash, ...grant }) => grant);
      return { items, total: found.length };
    },
  },
  {
    method: "POST",
    path: "/grants/revoke",
    run: async ({ body, by }, parts) => {
      const [tenant, user] = [textOf(body, "tenant"), textOf(body, "user")];
      const [server, tool] = [textOf(body, "server"), textOf(body, "tool")];
      await parts.gateway.grants.revoke({ tenant, user }, { server, tool });
      record(parts, { action: "revoke-grant", by, server, tenant, user, tool });
      return { revoked: { tenant, user, server, tool } };
    },
  },
  {
    method: "GET",
    path: "/users",
    run: async ({ query }, parts) => {
      const wanted = optionalText(query, "query") ?? "";
      return { items: await userRows(parts, wanted) };
    },
  },
  {
    method: "POST",
    path: "/users/revoke",
    run: async ({ body, by }, parts) => {
      const user = { tenant: textOf(body, "tenant"), user: textOf(body, "user") };
      const { block = false } = body;
      if (typeof block !== "boolean") {
        throw new AdminError("malformed", '"block" must be true or false.');
      }
      return offBoard(user, { by, block, reason: optionalText(body, "reason") }, parts);
    },
  },
  {
    method: "POST",
    path: "/users/restore",
    run: async ({ body, by }, parts) => {
      const [tenant, user] = [textOf(body, "tenant"), textOf(body, "user")];
      await parts.gateway.revocations.restore({ tenant, user });
      record(parts, { action: "restore-user", by, tenant, user });
      return { restored: { tenant, user } };
    },
  },
];

async function userRows(parts: AdminParts, query: string): Promise<unknown[]> {
  const { users, gateway, live, logins } = parts;
  const revoked = gateway.revocations.list();
  const isSame = (a: { tenant: string; user: string }, b: { tenant: string; user: string }) =>
    a.tenant === b.tenant && a.user === b.user;
  const seen = users.find(query, MOST_USERS);
  // An off-boarded user may never have been seen.
  const others = revoked
    .filter((one) => `${one.tenant}/${one.user}`.toLowerCase().includes(query.toLowerCase()))
    .filter((one) => !seen.some((user) => isSame(user, one)))
    .map(({ tenant, user }) => ({ tenant, user, lastSeen: undefined }));
  const grants = await gateway.grants.all();
  const { items: views } = await live.views();
  const rows = [...seen, ...others].slice(0, MOST_USERS).map(async (known) => ({
    ...known,
    views: views.filter((view) => isSame(view, known)).length,
    grants: grants.filter((grant) => isSame(grant, known)).length,
    logins: (await logins.of(known)).length,
    isBlocked: revoked.some((one) => one.isBlocked && isSame(one, known)),
  }));
  return Promise.all(rows);
}
