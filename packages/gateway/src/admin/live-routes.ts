import { AdminError } from "./admin-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import type { LiveFilter } from "./live-state.ts";
import { type AdminRequest, type AdminRoute, optionalText } from "./route.ts";
import { record, serverRows } from "./server-routes.ts";

const HOUR = 3_600_000;
const MOST_DENIALS = 1000;
const MOST = 500;

/** `/overview`, `/views`, `/calls`, `/approvals`, `/audit` */
export const liveRoutes: readonly AdminRoute[] = [
  { method: "GET", path: "/overview", run: (_request, parts) => overview(parts) },
  {
    method: "GET",
    path: "/views",
    run: async ({ query }, { live }) => bounded(await live.views(filterOf(query))),
  },
  {
    method: "POST",
    path: "/views/:id/end",
    run: async ({ params, by }, parts) => {
      const view = `${params.id}`;
      const { items } = await parts.live.views();
      const found = items.find(({ id }) => id === view);
      if (!found) throw new AdminError("not-found", "This view isn't connected.");
      await parts.gateway.endedViews.end(view, found);
      const { tenant, user, server, resource } = found;
      record(parts, { action: "end-view", by, server, view, tenant, user, resource });
      return { ended: view };
    },
  },
  {
    method: "GET",
    path: "/calls",
    run: async ({ query }, { live }) => bounded(await live.calls(filterOf(query))),
  },
  {
    method: "POST",
    path: "/calls/:id/cancel",
    run: async ({ params, by }, parts) => {
      const call = await parts.live.cancel(`${params.id}`);
      if (!call) throw new AdminError("not-found", "This call isn't running any more.");
      const { tenant, user, server, tool } = call;
      record(parts, { action: "cancel-call", by, server, tenant, user, tool });
      return { cancelled: call.id };
    },
  },
  {
    method: "GET",
    path: "/approvals",
    run: async (_request, { gateway }) => {
      const all = await gateway.approvals.list();
      return { items: all.slice(0, MOST), total: all.length };
    },
  },
  {
    method: "POST",
    path: "/approvals/:id/approve",
    run: (...given) => decide("approve", ...given),
  },
  { method: "POST", path: "/approvals/:id/reject", run: (...given) => decide("reject", ...given) },
  {
    method: "GET",
    path: "/audit",
    run: async ({ query }, { searchAudit }) => {
      const verdict = optionalText(query, "verdict");
      if (verdict !== undefined && verdict !== "allow" && verdict !== "deny") {
        throw new AdminError("malformed", '"verdict" must be allow or deny.');
      }
      return searchAudit({
        ...{ since: timeOf(query, "since"), until: timeOf(query, "until"), verdict },
        ...filterOf(query),
        tool: optionalText(query, "tool"),
        event: optionalText(query, "event"),
        cursor: optionalText(query, "cursor"),
        limit: 100,
      }).catch((error: unknown) => {
        if (error instanceof RangeError) throw new AdminError("malformed", error.message);
        throw error;
      });
    },
  },
];

async function overview(parts: AdminParts): Promise<unknown> {
  const { gateway, live, searchAudit } = parts;
  const { gateways, silent } = await live.gateways();
  const rows = await serverRows(parts);
  const count = (state: string): number => rows.filter((row) => row.state === state).length;
  const pending = await gateway.approvals.list();
  const denied = await searchAudit({
    ...{ since: Date.now() - HOUR, verdict: "deny", limit: MOST_DENIALS },
  });
  return {
    gateways: gateways.map(({ viewsOf: _views, callsOf: _calls, ...rest }) => rest),
    /** Gateways that didn't answer in time: their views and calls are missing here. */
    silent,
    servers: {
      up: count("up"),
      down: count("down"),
      unknown: count("unknown"),
      paused: count("paused"),
    },
    views: gateways.reduce((sum, { views }) => sum + views, 0),
    calls: gateways.reduce((sum, { calls }) => sum + calls, 0),
    pendingTools: rows.reduce((sum, { pendingTools }) => sum + pendingTools, 0),
    pendingApprovals: pending.length,
    deniedLastHour: denied.items.length,
  };
}

async function decide(
  decision: "approve" | "reject",
  { params, by }: AdminRequest,
  parts: AdminParts,
): Promise<unknown> {
  const found = await parts.gateway.approvals[decision](`${params.id}`, { by });
  if (!found) {
    throw new AdminError("not-found", "This call doesn't wait for a decision any more.");
  }
  const { id, tenant, user, server, tool } = found;
  record(parts, { action: `${decision}-call`, by, server, tenant, user, tool, call: id });
  return found;
}

function bounded<Item>(list: { items: Item[]; total: number; silent: string[] }) {
  return { ...list, items: list.items.slice(0, MOST) };
}

/** The filters that several lists have. */
export function filterOf(query: AdminRequest["query"]): LiveFilter {
  return {
    tenant: optionalText(query, "tenant"),
    user: optionalText(query, "user"),
    server: optionalText(query, "server"),
  };
}

function timeOf(query: AdminRequest["query"], name: string): number | undefined {
  const text = optionalText(query, name);
  if (text === undefined) return undefined;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new AdminError("malformed", `"${name}" must be a time: ISO 8601, or milliseconds.`);
}
