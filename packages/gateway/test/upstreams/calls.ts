import { parseJson } from "../../src/json-rpc/parse.ts";
import type { UpstreamAnswer, UpstreamCall, UpstreamScope } from "../../src/upstreams/upstream.ts";

export const ann: UpstreamScope = { tenant: "acme", user: "ann" };
export const bob: UpstreamScope = { tenant: "acme", user: "bob" };

/** `_meta` of a host of today. */
export const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "host", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

let last = 0;

/** What a test may set of a call. */
export type CallOptions = Partial<Omit<UpstreamCall, "message">> & {
  id?: string | number;
  meta?: object;
};

/** A request of a host of today. */
export function request(
  method: string,
  params: Record<string, unknown> = {},
  { id = `r${++last}`, meta, ...rest }: CallOptions = {},
): UpstreamCall {
  const full = { ...params, _meta: { ...envelope, ...meta } };
  return {
    message: { jsonrpc: "2.0", id, method, params: full },
    signal: new AbortController().signal,
    deadline: 20_000,
    scope: ann,
    ...rest,
  };
}

/** A call of a tool. */
export function toolCall(
  name: string,
  args: Record<string, unknown> = {},
  options: CallOptions = {},
): UpstreamCall {
  return request("tools/call", { name, arguments: args }, options);
}

/** A request from its text. */
export function rawCall(text: string, options: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    message: parseJson(text) as UpstreamCall["message"],
    signal: new AbortController().signal,
    deadline: 20_000,
    scope: ann,
    ...options,
  };
}

/** Waits until something is true. */
export async function until(isTrue: () => unknown, time = 20_000): Promise<void> {
  const end = performance.now() + time;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`It did not become true within ${time} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The result of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for.
export function resultOf({ message }: Pick<UpstreamAnswer, "message">): any {
  if ("error" in message) throw new Error(`An error: ${JSON.stringify(message)}`);
  return message.result;
}
