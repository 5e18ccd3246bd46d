import { METHOD_NOT_FOUND, type Progress, RpcError } from "@vitrine/protocol";
import { CALL_TOOL_METHOD, READ_RESOURCE_METHOD } from "@vitrine/protocol/apps";
import { abortable } from "../resources/abortable.ts";
import type { Upstream, UpstreamCapabilities, UpstreamMethod } from "../upstreams/upstream.ts";
import type { Guarded, RequestHandlerExtra, ViewRequest } from "./guarded.ts";

// Milliseconds without an answer or a sign of progress.
const PATIENCE = 60_000;
// What the official SDKs say of a request without an answer.
const TIMED_OUT = -32001;
// What a Server is sent; a key that is none of the method's stays here. Lists have a cursor.
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [CALL_TOOL_METHOD, ["name", "arguments", "task"]],
  [READ_RESOURCE_METHOD, ["uri"]],
]);
// MCP keeps these for itself: they say who calls, for whom, and which request progress belongs to. A
// View that sets them would speak in the Host's name.
const reserved = /^(progressToken$|vitrine\/|[\w-]+\.(modelcontextprotocol|mcp)[./])/;

type Meta = { progressToken?: string | number };
type Params = Record<string, unknown> & { _meta?: Meta };

/** What a handler is told of a request. */
export function extraOf(
  guarded: Guarded,
  { context }: ViewRequest,
  _meta?: object,
): RequestHandlerExtra {
  const notify: RequestHandlerExtra["mcpReq"]["notify"] = async ({ method, params = {} }) =>
    guarded.notify(method, params);
  return { signal: context.signal, mcpReq: { ...context, _meta, notify } };
}

/** Gives a request that may be made to the Host's handler, or else to the View's Server (HST-12). */
export async function forward(
  guarded: Guarded,
  params: Params,
  request: ViewRequest,
): Promise<unknown> {
  const { method, signal } = request.context;
  // It may have been given up while somebody was asked.
  signal.throwIfAborted();
  const { _meta, ...rest } = params;
  const handler = guarded.handler(method);
  const list = method.split("/")[0] as keyof UpstreamCapabilities;
  const isServers = /^(tools|resources|prompts)$/.test(list);
  const clean = isServers ? forServer(method, rest, _meta) : rest;
  if (handler) return handler(clean as never, extraOf(guarded, request, _meta));
  const { upstream } = guarded;
  if (isServers && upstream?.capabilities[list])
    return ask(guarded, upstream, clean, request, _meta);
  throw new RpcError(METHOD_NOT_FOUND, `The Host does not handle ${method}.`);
}

function forServer(method: string, params: object, meta: Meta | undefined): object {
  const keys = KEYS.get(method) ?? ["cursor"];
  const entries = Object.entries(params).filter(([key]) => keys.includes(key));
  const _meta = Object.fromEntries(
    Object.entries(meta ?? {}).filter(([key]) => !reserved.test(key)),
  );
  return { ...Object.fromEntries(entries), ...(meta && { _meta }) };
}

/** Asks the Server: under ids of its own, cancelled and reported on as the View's request (HST-13). */
async function ask(
  guarded: Guarded,
  upstream: Upstream,
  params: object,
  { context }: ViewRequest,
  meta: Meta = {},
): Promise<unknown> {
  const impatience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () =>
        impatience.abort(
          new RpcError(TIMED_OUT, `The Server did not answer ${context.method} in time.`),
        ),
      PATIENCE,
    );
  };
  const { signal } = impatience;
  const giveUp = (): void => impatience.abort(context.signal.reason);
  context.signal.addEventListener("abort", giveUp);
  const { progressToken } = meta;
  let isOver = false;
  const onprogress = ({ progress, total, message }: Progress): void => {
    if (isOver) return;
    wait();
    if (progressToken === undefined) return;
    const known = { progressToken, progress, ...(total && { total }), ...(message && { message }) };
    guarded.notify("notifications/progress", known);
  };
  wait();
  try {
    const method = context.method as UpstreamMethod;
    return await abortable(
      upstream.request(method, params as never, { signal, onprogress }),
      signal,
    );
  } finally {
    isOver = true;
    clearTimeout(timer);
    context.signal.removeEventListener("abort", giveUp);
  }
}
