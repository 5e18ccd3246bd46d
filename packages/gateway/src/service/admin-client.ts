// Calls the admin port of a running gateway, for the commands.

import { readFile } from "node:fs/promises";
import { type GatewayConfig, isLoopbackHost } from "../config/config.ts";
import { isSafeAddress } from "../config/safe-address.ts";
import { OperatorError } from "./operator-error.ts";

/** Where the admin port is, and how to log in. */
export interface AdminAddress {
  url: string;
  token: string;
}

/** The options of every command that calls the admin port. */
export const ADMIN_OPTIONS = {
  admin: { type: "string" },
  "token-file": { type: "string" },
  json: { type: "boolean", default: false },
} as const;

const DEADLINE = 30_000;

/** The address and token from the options, or from the configuration. */
export async function adminAddress(
  given: { admin?: string | undefined; "token-file"?: string | undefined },
  config: GatewayConfig | undefined,
): Promise<AdminAddress> {
  const url = given.admin ?? (config && configuredUrl(config));
  if (url === undefined) {
    const text = "The admin port isn't known. Pass --admin http://127.0.0.1:PORT, or --config.";
    throw new OperatorError("usage", text);
  }
  if (!URL.canParse(url) || !isSafeAddress(new URL(url))) {
    const text = `"${url}" isn't encrypted, and the token would be sent to it. Use https.`;
    throw new OperatorError("usage", text);
  }
  const file = given["token-file"];
  const token = file === undefined ? config?.admin?.token : await readToken(file);
  if (!token) {
    const text = "The admin token is missing. Pass --token-file FILE, or set admin.token.";
    throw new OperatorError("usage", text);
  }
  return { url, token };
}

/** Sends a request. Returns the JSON of the response, or throws what the admin port answered. */
export async function callAdmin<Answer>(
  { url, token }: AdminAddress,
  path: string,
  change?: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(change && { "vitrine-admin": "1", "content-type": "application/json" }),
  };
  const response = await fetch(new URL(`/api${path}`, url), {
    ...{ headers, redirect: "error", signal: AbortSignal.timeout(DEADLINE) },
    ...(change && { method: "POST", body: JSON.stringify(change) }),
  }).catch((cause: unknown) => {
    const text = `The admin port ${url} doesn't answer. Is the gateway running, and is admin.port set?`;
    throw new OperatorError("admin", text, { cause });
  });
  const text = await response.text();
  const body = parsed(text) as { error?: { message?: unknown } } | undefined;
  if (response.ok && body !== undefined) return body as Answer;
  const reason = body?.error?.message ?? `it answered ${response.status}`;
  throw new OperatorError("admin", `The admin port refused: ${reason}`);
}

/** Rows as columns of text. */
export function table(
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
): string {
  const cells = [
    // `requestedAt` is written REQUESTED AT.
    columns.map((column) => column.replace(/([a-z])([A-Z])/g, "$1 $2").toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellOf(column, row[column]))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

const LONGEST_CELL = 80;

function cellOf(column: string, value: unknown): string {
  if (value === undefined || value === null) return "-";
  const isTime = /^(lastSeen|.*At|expires|at)$/.test(column) && typeof value === "number";
  const text = isTime ? new Date(value).toISOString() : String(value);
  const line = text.replace(/\s+/g, " ");
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL - 1)}…` : line;
}

function configuredUrl({ admin }: GatewayConfig): string | undefined {
  if (!admin) return undefined;
  const { host, port, publicUrl } = admin;
  return isLoopbackHost(host)
    ? `http://${host.includes(":") ? `[${host}]` : host}:${port}`
    : publicUrl;
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new OperatorError("usage", `The token file "${file}" can't be read.`, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
