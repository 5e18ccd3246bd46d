// `servers`, `views`, `calls`, `grants`, `users` and `approvals`: what the admin port of a running gateway shows
// and changes.

import {
  ADMIN_OPTIONS,
  type AdminAddress,
  adminAddress,
  callAdmin,
  table,
} from "../admin-client.ts";
import { OperatorError } from "../operator-error.ts";
import {
  type Command,
  type CommandContext,
  type CommandOptions,
  defineCommand,
  type Given,
  loadGiven,
} from "./command.ts";

type Row = Readonly<Record<string, unknown>>;
type AdminGiven = Given<typeof ADMIN_OPTIONS>;

const FILTERS = { user: { type: "string" }, server: { type: "string" } } as const;
const REASON = { reason: { type: "string" } } as const;

/** All commands of the admin port. */
export const adminCommands: readonly Command[] = [
  list("servers", "servers", [
    "id",
    "kind",
    "state",
    "version",
    "tools",
    "pendingTools",
    "views",
    "calls",
    "error",
  ]),
  change("servers pause", "NAME [--reason TEXT]", REASON, ([name], { reason }) => ({
    path: `/servers/${nameOf(name)}/pause`,
    body: { reason },
    done: `${name} is paused: its calls and views are refused.`,
  })),
  change("servers resume", "NAME", {}, ([name]) => ({
    path: `/servers/${nameOf(name)}/resume`,
    body: {},
    done: `${name} is resumed.`,
  })),
  change("servers check", "NAME", {}, ([name]) => ({
    path: `/servers/${nameOf(name)}/check`,
    body: {},
    done: ({ state, error }) => `${name} is ${state}${error ? `: ${error}` : ""}.`,
  })),
  defineCommand({
    name: "servers tools",
    usage: ["servers tools NAME"],
    options: ADMIN_OPTIONS,
    words: 1,
    run: async (given, context, [name]) => {
      const { toolList } = await ask<{ toolList: Row[] }>(
        `/servers/${nameOf(name)}`,
        given,
        context,
      );
      show(toolList, ["name", "approval", "title", "hash"], given, context);
      return 0;
    },
  }),
  defineCommand({
    name: "servers approve",
    usage: ["servers approve NAME [TOOL] [--all]"],
    notes: [
      "servers approve approves the definition of one tool as it is now, or with --all every new or changed one.",
    ],
    options: { ...ADMIN_OPTIONS, all: { type: "boolean", default: false } },
    words: 2,
    run: approveTools,
  }),
  list(
    "views",
    "views",
    ["id", "tenant", "user", "server", "resource", "node", "openedAt", "calls"],
    FILTERS,
  ),
  change("views end", "ID", {}, ([id]) => ({
    path: `/views/${nameOf(id)}/end`,
    body: {},
    done: "The view is ended. It can't be opened again for a minute.",
  })),
  list(
    "calls",
    "calls",
    ["id", "tenant", "user", "server", "tool", "party", "node", "startedAt"],
    FILTERS,
  ),
  change("calls cancel", "ID", {}, ([id]) => ({
    path: `/calls/${nameOf(id)}/cancel`,
    body: {},
    done: "The call is cancelled.",
  })),
  list("grants", "grants", ["tenant", "user", "server", "tool", "scope", "givenAt"], FILTERS),
  change(
    "grants revoke",
    "--user TENANT/NAME --server NAME --tool NAME",
    { ...FILTERS, tool: { type: "string" } },
    (_words, { user, server, tool }) => ({
      path: "/grants/revoke",
      body: { ...userOf(user), server, tool },
      done: `${user} has to consent to ${tool} again.`,
    }),
  ),
  list("users", "users", ["tenant", "user", "lastSeen", "views", "grants", "logins", "isBlocked"]),
  change("users revoke", "TENANT/NAME [--reason TEXT]", REASON, ([user], { reason }) => ({
    path: "/users/revoke",
    body: { ...userOf(user), block: false, reason },
    done: (answer) => ended(`${user} has to log in again.`, answer),
  })),
  change("users off-board", "TENANT/NAME [--reason TEXT]", REASON, ([user], { reason }) => ({
    path: "/users/revoke",
    body: { ...userOf(user), block: true, reason },
    done: (answer) => ended(`${user} is blocked on every gateway.`, answer),
  })),
  change("users restore", "TENANT/NAME", {}, ([user]) => ({
    path: "/users/restore",
    body: userOf(user),
    done: `${user} may log in again.`,
  })),
  list("approvals", "approvals", [
    "id",
    "tenant",
    "user",
    "server",
    "tool",
    "preview",
    "requestedAt",
  ]),
  change("approvals approve", "ID", {}, ([id]) => ({
    path: `/approvals/${nameOf(id)}/approve`,
    body: {},
    done: "The call is approved. Its user can repeat it once.",
  })),
  change("approvals reject", "ID", {}, ([id]) => ({
    path: `/approvals/${nameOf(id)}/reject`,
    body: {},
    done: "The call is rejected.",
  })),
];

function list(
  name: string,
  path: string,
  columns: readonly string[],
  options: CommandOptions = {},
): Command {
  const filters = options === FILTERS ? " [--user TENANT/NAME] [--server NAME]" : "";
  return defineCommand({
    name: `${name} list`,
    alias: name,
    usage: [`${name} list${name === "users" ? " [TEXT]" : ""} [--json]${filters}`],
    ...(name === "servers" && {
      notes: [
        "servers, views, calls, grants, users and approvals call the admin port of a running gateway: of --config, or --admin URL with --token-file FILE.",
      ],
    }),
    options: { ...ADMIN_OPTIONS, ...(options as typeof FILTERS) },
    words: name === "users" ? 1 : 0,
    run: async (given, context, [text]) => {
      const query = new URLSearchParams({
        ...(text !== undefined && { query: text }),
        ...(given.user !== undefined && userOf(given.user)),
        ...(given.server !== undefined && { server: given.server }),
      });
      const suffix = query.size > 0 ? `?${query}` : "";
      const answer = await ask<{ items: Row[]; total?: number; silent?: string[] }>(
        `/${path}${suffix}`,
        given,
        context,
      );
      show(answer.items, columns, given, context);
      const { total = answer.items.length, silent = [] } = answer;
      if (total > answer.items.length) {
        context.err(`Only ${answer.items.length} of ${total} are shown. Use --user or --server.\n`);
      }
      if (silent.length > 0) context.err(`These gateways didn't answer: ${silent.join(", ")}.\n`);
      return 0;
    },
  });
}

interface Change {
  path: string;
  body: Record<string, unknown>;
  done: string | ((answer: Row) => string);
}

function change<const O extends CommandOptions>(
  name: string,
  usage: string,
  options: O,
  changeOf: (words: readonly string[], given: Record<keyof O, string | undefined>) => Change,
): Command {
  return defineCommand({
    name,
    usage: [`${name} ${usage}`],
    options: { ...ADMIN_OPTIONS, ...(options as Record<never, never>) },
    words: usage.startsWith("-") ? 0 : 1,
    run: async (given, context, words) => {
      const wanted = given as unknown as Record<keyof O, string | undefined>;
      const { path, body, done } = changeOf(words, wanted);
      const answer = await callAdmin<Row>(await addressOf(given, context), path, body);
      if (given.json) context.out(`${JSON.stringify(answer)}\n`);
      else context.out(`${typeof done === "string" ? done : done(answer)}\n`);
      return Array.isArray(answer.failed) && answer.failed.length > 0 ? 1 : 0;
    },
  });
}

async function approveTools(
  given: AdminGiven & { all: boolean },
  context: CommandContext,
  [name, tool]: readonly string[],
): Promise<number> {
  if ((tool === undefined) === !given.all) {
    throw new OperatorError("usage", "Name one tool, or pass --all. See servers tools NAME.");
  }
  const address = await addressOf(given, context);
  const path = `/servers/${nameOf(name)}`;
  const { toolList } = await callAdmin<{ toolList: Row[] }>(address, path);
  const waiting = toolList.filter(({ approval }) => approval === "new" || approval === "changed");
  const wanted = waiting.filter((one) => given.all || one.name === tool);
  if (wanted.length === 0) {
    const what = tool === undefined ? "No tool" : `"${tool}" isn't new or changed, so nothing`;
    throw new OperatorError("admin", `${what} of ${name} waits for approval.`);
  }
  const tools = wanted.map(({ name: one, hash }) => ({ name: one, hash }));
  const answer = await callAdmin<{ approved: string[] }>(address, `${path}/tools/approve`, {
    tools,
  });
  context.out(
    given.json ? `${JSON.stringify(answer)}\n` : `Approved: ${answer.approved.join(", ")}.\n`,
  );
  return 0;
}

async function addressOf(given: AdminGiven, context: CommandContext): Promise<AdminAddress> {
  const isComplete = given.admin !== undefined && given["token-file"] !== undefined;
  const loaded =
    given.config === undefined || isComplete ? undefined : await loadGiven(given, context);
  return adminAddress(given, loaded?.config);
}

async function ask<Answer>(
  path: string,
  given: AdminGiven,
  context: CommandContext,
): Promise<Answer> {
  return callAdmin<Answer>(await addressOf(given, context), path);
}

function show(
  rows: readonly Row[],
  columns: readonly string[],
  { json }: Pick<AdminGiven, "json">,
  { out }: CommandContext,
): void {
  if (json) for (const row of rows) out(`${JSON.stringify(row)}\n`);
  else out(rows.length === 0 ? "None.\n" : table(rows, columns));
}

/** A name as part of a path. */
function nameOf(name: string | undefined): string {
  if (name !== undefined && name !== "") return encodeURIComponent(name);
  throw new OperatorError("usage", "A name is missing. See --help.");
}

/** A tenant has no slash in its name; a user may. */
function userOf(text: string | undefined): { tenant: string; user: string } {
  const [, tenant, user] = /^([^/]+)\/(.+)$/s.exec(text ?? "") ?? [];
  if (tenant === undefined || user === undefined) {
    throw new OperatorError("usage", `Write the user as TENANT/NAME, not "${text ?? ""}".`);
  }
  return { tenant, user };
}

function ended(first: string, answer: Row): string {
  const { views, grants, approvals, logins, failed } = answer as {
    views: number;
    grants: number;
    approvals: number;
    logins: string[];
    failed: string[];
  };
  const removed = logins.length === 0 ? "none" : logins.join(", ");
  const lines = [
    first,
    `Views closed      ${views}`,
    `Grants revoked    ${grants}`,
    `Calls rejected    ${approvals}`,
    `Logins deleted    ${removed}`,
  ];
  if (failed.length > 0) lines.push(`FAILED            ${failed.join(", ")}. Repeat the command.`);
  return lines.join("\n");
}
