import { METHOD_NOT_FOUND, type Progress, RpcError } from "@vitrine/protocol";
import { abortable } from "../resources/abortable.ts";
import type { Upstream, UpstreamCapabilities, UpstreamMethod } from "../upstreams/upstream.ts";
import type { Guarded, RequestHandlerExtra, ViewRequest } from "./guarded.ts";
import { forServer } from "./server-params.ts";

// Milliseconds without a response or progress.
const PATIENCE = 60_000;
// The error that official SDKs use for a request without a response.
const TIMED_OUT = -32001;
type Meta = { progressToken?: string | number };
type Params = Record<string, unknown> & { _meta?: Meta };

/** The context that a handler receives with a request. */
export function extraOf(
  guarded: Guarded,
  { context }: ViewRequest,
  _meta?: object,
): RequestHandlerExtra {
  const notify: RequestHandlerExtra["mcpReq"]["notify"] = async ({ method, params = {} }) =>
    guarded.notify(method, params);
  return { signal: context.signal, mcpReq: { ...context, _meta, notify } };
}

/** Passes an allowed request to the host's handler or, without one, to the view's server (HST-12). */
export async function forward(
  guarded: Guarded,
  params: Params,
  request: ViewRequest,
): Promise<unknown> {
  const { method, signal } = request.context;
  // The view may have cancelled it while the user was asked.
  signal.throwIfAborted();
  const { _meta, ...rest } = params;
  const handler = guarded.handler(method);
  const list = method.split("/")[0] as keyof UpstreamCapabilities;
  const isServers = /^(tools|resources|prompts)$/.test(list);
  const clean = isServers ? forServer(method, rest) : rest;
  if (handler) return handler(clean as never, extraOf(guarded, request, progressOf(_meta)));
  const { upstream } = guarded;
  if (isServers && upstream?.capabilities[list])
    return ask(guarded, upstream, clean, request, _meta);
  throw new RpcError(METHOD_NOT_FOUND, `The host does not handle ${method}.`);
}

/** A handler may report progress. The rest of a view's `_meta` wasn't shown to the user. */
function progressOf(meta: Meta | undefined): Meta | undefined {
  return meta?.progressToken === undefined ? undefined : { progressToken: meta.progressToken };
}

/**
 * Sends the request to the server with its own id; cancellation and progress follow the view's
 * request (HST-13).
 */
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
          new RpcError(TIMED_OUT, `The server did not answer ${context.method} in time.`),
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
      upstream.request(method, params as never, { signal, onprogress, request: context }),
      signal,
    );
  } finally {
    isOver = true;
    clearTimeout(timer);
    context.signal.removeEventListener("abort", giveUp);
  }
}
