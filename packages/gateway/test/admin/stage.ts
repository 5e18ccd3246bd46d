import { openServiceStage, type ServiceStage } from "../service/stage.ts";
import type { Json } from "../stage.ts";

export const ADMIN_TOKEN = "an-admin-token-for-tests-0123456789abcdef";

/** A response of the admin port. */
export interface AdminAnswer {
  status: number;
  body: Json;
  headers: Headers;
}

/** How to call the admin port. */
export interface AdminCall {
  token?: string | null;
  cookie?: string;
  headers?: Record<string, string | null>;
  body?: unknown;
}

/** A gateway with an admin port. */
export interface AdminStage extends ServiceStage {
  get(path: string, more?: AdminCall): Promise<AdminAnswer>;
  change(path: string, body?: unknown, more?: AdminCall): Promise<AdminAnswer>;
}

/** Calls an admin port. */
export async function callAdmin(
  url: string,
  method: string,
  { token = ADMIN_TOKEN, cookie, headers = {}, body }: AdminCall = {},
): Promise<AdminAnswer> {
  const given = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(cookie !== undefined && { cookie }),
    ...(method !== "GET" && { "vitrine-admin": "1", "content-type": "application/json" }),
    ...headers,
  };
  const sent = Object.entries(given).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
  const answer = await fetch(url, {
    method,
    headers: sent,
    ...(method !== "GET" && { body: text }),
  });
  const read = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(read) : read };
}

/** Starts a gateway with an admin port. */
export async function openAdminStage(more: Record<string, Json> = {}): Promise<AdminStage> {
  const stage = await openServiceStage({
    ...more,
    admin: { port: 0, token: ADMIN_TOKEN, ...more.admin },
  });
  const url = `${stage.service.adminUrl}/api`;
  return Object.defineProperties(
    {
      get: (path: string, call?: AdminCall) => callAdmin(`${url}${path}`, "GET", call),
      change: (path: string, body?: unknown, call?: AdminCall) =>
        callAdmin(`${url}${path}`, "POST", { ...call, body }),
    },
    Object.getOwnPropertyDescriptors(stage),
  ) as AdminStage;
}
