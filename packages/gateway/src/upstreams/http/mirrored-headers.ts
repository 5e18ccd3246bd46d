// Parts of a request that 2026-07-28 also requires as HTTP headers, so that intermediaries don't have to
// parse the body.

import type { CallerMessage } from "../../json-rpc/message.ts";
import { claimedVersion, MODERN_VERSION } from "../frames/request-meta.ts";
import type { UpstreamCall } from "../upstream.ts";

/** The member that the header `mcp-name` repeats, by method. */
export const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const PREFIX = "mcp-param-";

/** Encodes a header value, as base64 if plain text isn't possible. */
export function headerValue(value: string): string {
  const isPlain = PLAIN.test(value) && !(value.startsWith("=?base64?") && value.endsWith("?="));
  return isPlain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

/** The headers that repeat the body. */
export function mirroredHeaders(
  { method, params }: CallerMessage,
  { inputSchema, paramHeaders }: Pick<UpstreamCall, "inputSchema" | "paramHeaders"> = {},
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of paramHeaders ? Object.entries(paramHeaders) : []) {
    const lower = name.toLowerCase();
    if (lower.startsWith(PREFIX) && TOKEN.test(lower) && PLAIN.test(value)) headers[lower] = value;
  }
  if (method === "tools/call") Object.assign(headers, argumentHeaders(params, inputSchema));
  const key = NAMED.get(method);
  const name = key === undefined ? undefined : params?.[key];
  if (typeof name === "string") headers["mcp-name"] = headerValue(name);
  headers["mcp-method"] = headerValue(method);
  headers["mcp-protocol-version"] = headerValue(claimedVersion(params) ?? MODERN_VERSION);
  return headers;
}

/** The headers that a tool requests in its schema. */
export function argumentHeaders(
  params: CallerMessage["params"],
  inputSchema: unknown,
): Record<string, string> {
  if (typeof inputSchema !== "object" || inputSchema === null) return {};
  const headers: Record<string, string> = {};
  for (const { name, path } of declarationsOf(inputSchema)) {
    const text = primitiveText(at(params?.arguments, path));
    if (text !== undefined) headers[PREFIX + name] = headerValue(text);
  }
  return headers;
}

interface Declaration {
  name: string;
  path: readonly string[];
}

const known = new WeakMap<object, readonly Declaration[]>();

/** The headers that `x-mcp-header` in a tool's schema requests. Empty if a request is invalid. */
function declarationsOf(schema: object): readonly Declaration[] {
  let declarations = known.get(schema);
  if (!declarations) {
    const found: Declaration[] = [];
    collect(schema, [], found);
    const isUnique = new Set(found.map(({ name }) => name)).size === found.length;
    declarations = isUnique && found.every(({ name }) => TOKEN.test(name)) ? found : [];
    known.set(schema, declarations);
  }
  return declarations;
}

function collect(schema: unknown, path: readonly string[], found: Declaration[]): void {
  if (typeof schema !== "object" || schema === null || path.length > 16 || found.length > 64)
    return;
  const { "x-mcp-header": name, properties } = schema as Record<string, unknown>;
  if (path.length > 0 && typeof name === "string") found.push({ name: name.toLowerCase(), path });
  if (typeof properties !== "object" || properties === null) return;
  for (const [key, property] of Object.entries(properties))
    collect(property, [...path, key], found);
}

function at(value: unknown, path: readonly string[]): unknown {
  let node = value;
  for (const key of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function primitiveText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const isNumber = typeof value === "number" && Number.isFinite(value);
  // Beyond the safe integers, the text in the body may be a different number than the parsed value.
  return isNumber && (!Number.isInteger(value) || Number.isSafeInteger(value))
    ? String(value)
    : undefined;
}
