import { AdminError } from "./admin-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import type { AdminRole } from "./operators.ts";

/** A request that was authenticated. */
export interface AdminRequest {
  /** Names in the path. */
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | undefined>>;
  /** The JSON object of a change. */
  body: Readonly<Record<string, unknown>>;
  /** The name of the operator, for the audit log. */
  by: string;
  role: AdminRole;
}

/** One route of the API. A GET reads; every other method changes something and needs the role operator. */
export interface AdminRoute {
  method: "GET" | "POST";
  /** Below `/api`. */
  path: string;
  run(request: AdminRequest, parts: AdminParts): Promise<unknown>;
}

const LONGEST = 512;

/** A text of a body or query. Throws if it is missing or too long. */
export function textOf(from: Readonly<Record<string, unknown>>, name: string): string {
  const value = from[name];
  if (typeof value !== "string" || value === "" || value.length > LONGEST) {
    throw new AdminError("malformed", `"${name}" must be a text of 1 to ${LONGEST} characters.`);
  }
  return value;
}

/** A text that may be missing. */
export function optionalText(
  from: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  return from[name] === undefined || from[name] === "" ? undefined : textOf(from, name);
}

/** Throws if there is no server of that name. */
export function serverOf({ gateway }: AdminParts, id: string | undefined): string {
  if (gateway.servers().some((server) => server.id === id)) return `${id}`;
  throw new AdminError("not-found", `There is no server "${id}". See GET /api/servers.`);
}
