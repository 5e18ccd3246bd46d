import { isVisibleTo } from "@vitrine/protocol/apps";
import { AdminError } from "./admin-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import { type AdminRoute, optionalText, serverOf } from "./route.ts";

/** A server, as operators see it. Never its headers, variables or arguments. */
interface ServerRow {
  id: string;
  kind: "http" | "stdio";
  state: "up" | "down" | "unknown" | "paused";
  version?: string;
  protocol?: string;
  tools: number;
  pendingTools: number;
  toolChanges: "report" | "hold";
  views: number;
  calls: number;
  error?: string;
  checkedAt?: number;
  paused?: { at: number; by: string; reason?: string };
  source: "config";
}

const MOST_TOOLS = 500;

/** `/servers` */
export const serverRoutes: readonly AdminRoute[] = [
  {
    method: "GET",
    path: "/servers",
    run: async (_request, parts) => ({ items: await serverRows(parts) }),
  },
  {
    method: "GET",
    path: "/servers/:id",
    run: async ({ params }, parts) => {
      const id = serverOf(parts, params.id);
      const row = (await serverRows(parts)).find((server) => server.id === id);
      const states = await parts.gateway.toolApprovals.list(id);
      const toolList = states.slice(0, MOST_TOOLS).map((state) => ({
        ...describe(state.after ?? state.before),
        ...state,
      }));
      return { ...row, toolList };
    },
  },
  {
    method: "POST",
    path: "/servers/:id/pause",
    run: async ({ params, body, by }, parts) => {
      const server = serverOf(parts, params.id);
      const reason = optionalText(body, "reason");
      await parts.gateway.states.pause(server, { by, reason });
      record(parts, { action: "pause", by, server, reason });
      return { server, state: "paused" };
    },
  },
  {
    method: "POST",
    path: "/servers/:id/resume",
    run: async ({ params, by }, parts) => {
      const server = serverOf(parts, params.id);
      await parts.gateway.states.resume(server);
      record(parts, { action: "resume", by, server });
      return { server, state: stateOf(parts, server) };
    },
  },
  {
    method: "POST",
    path: "/servers/:id/check",
    run: async ({ params }, parts) => {
      const server = serverOf(parts, params.id);
      if (!(await parts.check(server))) {
        const text = `"${server}" has a process or login for each user, so only its users can call it. Its state is that of the last call.`;
        throw new AdminError("conflict", text);
      }
      return (await serverRows(parts)).find(({ id }) => id === server);
    },
  },
  {
    method: "POST",
    path: "/servers/:id/tools/approve",
    run: async ({ params, body, by }, parts) => {
      const server = serverOf(parts, params.id);
      const tools = readTools(body.tools);
      const result = await parts.gateway.toolApprovals.approve(server, tools);
      record(parts, { action: "approve-tools", by, server, tools: result.approved });
      if (result.approved.length === 0) {
        const text = "The tools changed again since you saw them. Look at them again.";
        throw new AdminError("conflict", text);
      }
      return result;
    },
  },
];

/** Writes who changed what. */
export function record(
  { audit }: Pick<AdminParts, "audit">,
  { server, ...detail }: { action: string; by: string; server?: string; [more: string]: unknown },
): void {
  audit.record({ event: "operator", ...(server !== undefined && { server }), detail });
}

/** Every server with its state. */
export async function serverRows(parts: AdminParts): Promise<ServerRow[]> {
  const { gateway, reports, live } = parts;
  const { gateways } = await live.gateways();
  const sum = (of: "viewsOf" | "callsOf", id: string): number =>
    gateways.reduce((total, state) => total + (state[of][id] ?? 0), 0);
  return gateway.servers().map(({ id, upstream, settings }) => {
    const { version, protocol, error, checkedAt } = reports.get(id);
    const pause = gateway.states.paused(id);
    return {
      id,
      kind: upstream.kind === "stdio" ? "stdio" : "http",
      state: stateOf(parts, id),
      ...(version !== undefined && { version }),
      ...(protocol !== undefined && { protocol }),
      tools: gateway.toolApprovals.count(id),
      pendingTools: gateway.toolApprovals.pending(id),
      toolChanges: settings.toolChanges,
      views: sum("viewsOf", id),
      calls: sum("callsOf", id),
      ...(error !== undefined && { error }),
      ...(checkedAt !== undefined && { checkedAt }),
      ...(pause && {
        paused: {
          ...{ at: pause.at, by: pause.by },
          ...(pause.reason !== undefined && { reason: pause.reason }),
        },
      }),
      source: "config",
    };
  });
}

function stateOf({ gateway, reports }: AdminParts, id: string): ServerRow["state"] {
  if (gateway.states.paused(id)) return "paused";
  const { isUp } = reports.get(id);
  if (isUp === undefined) return "unknown";
  return isUp ? "up" : "down";
}

function readTools(value: unknown): { name: string; hash: string }[] {
  const tools: unknown[] = Array.isArray(value) ? value : [];
  const read = tools.map((tool) => {
    const { name, hash } = Object(tool) as { name?: unknown; hash?: unknown };
    return { name: `${name}`, hash: `${hash}` };
  });
  if (read.length === 0 || read.length > MOST_TOOLS) {
    const text = `"tools" must be a list of 1 to ${MOST_TOOLS} objects with name and hash.`;
    throw new AdminError("malformed", text);
  }
  return read;
}

/** The members that the console shows. A server controls them: they are text, and may be missing. */
function describe(definition: string | undefined): Record<string, unknown> {
  const tool = parsed(definition);
  const short = (value: unknown): string | undefined =>
    typeof value === "string" ? value.slice(0, 2000) : undefined;
  const annotations = Object(tool.annotations) as Record<string, unknown>;
  const hints = Object.entries(annotations).filter(([, value]) => typeof value === "boolean");
  return {
    title: short(tool.title),
    description: short(tool.description),
    annotations: Object.fromEntries(hints.slice(0, 16)),
    visibility: (["model", "app"] as const).filter((party) => isVisibleTo(tool, party)),
  };
}

function parsed(text: string | undefined): { [member: string]: unknown; name: string } {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    // A definition that was too long is cut off.
    return { name: "" };
  }
}
