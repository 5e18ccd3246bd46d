import { RpcError } from "@vitrine/protocol";
import { messagesOf } from "../upstreams/message-stream.ts";
import type { UpstreamRequestOptions } from "../upstreams/upstream.ts";
import { type RemoteRequest, UNAVAILABLE } from "./remote-messages.ts";

/** Where the server half is. */
export interface RemoteLinkOptions {
  /** Address of `createAppsHandler` on your server, relative to the page. */
  url: string | URL;
  /** Headers for each request, such as a CSRF token of your own. Cookies are sent anyway. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
}

/** What identifies a request of a view. */
export interface LinkRequestOptions extends UpstreamRequestOptions {
  view?: string;
  consent?: string;
  /** Called with each notification that comes before the result. */
  onNotification?: (method: string, params: Record<string, unknown>) => void;
}

/** Sends requests to the server half. */
export interface RemoteLink {
  send(method: string, params: object, options?: LinkRequestOptions): Promise<unknown>;
}

/** Creates a link; nothing is sent yet. */
export function createRemoteLink({ url, headers }: RemoteLinkOptions): RemoteLink {
  let lastId = 0;
  return {
    send: async (method, params, options = {}) => {
      const { signal, onprogress, onNotification, view, consent } = options;
      signal?.throwIfAborted();
      const id = ++lastId;
      const sent = onprogress ? { ...params, _meta: { progressToken: id } } : params;
      const body: RemoteRequest = {
        message: { jsonrpc: "2.0", id, method, params: sent },
        view,
        consent,
      };
      const response = await fetch(url, {
        method: "POST",
        headers: { ...(await headers?.()), "content-type": "application/json" },
        body: JSON.stringify(body),
        credentials: "same-origin",
        ...(signal && { signal }),
      }).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw unavailable(`${url} can't be reached`, cause);
      });
      for await (const text of readable(response, signal)) {
        const message = readMessage(text, response);
        if (typeof message.method !== "string") return outcomeOf(message);
        const given = Object(message.params) as Record<string, unknown>;
        if (message.method === "notifications/progress") onprogress?.(given as never);
        else onNotification?.(message.method, given);
      }
      throw unavailable(`${url} ended its response early`);
    },
  };
}

interface Message {
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

function outcomeOf({ result, error }: Message): unknown {
  if (error) throw new RpcError(error.code, error.message, error.data);
  return result;
}

async function* readable(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  try {
    yield* messagesOf(response);
  } catch (cause) {
    signal?.throwIfAborted();
    throw unavailable("the connection was lost", cause);
  }
}

function readMessage(text: string, { status, url }: Response): Message {
  try {
    return JSON.parse(text) as Message;
  } catch (cause) {
    // A log-in page or the error page of a proxy.
    throw unavailable(`${url} responded with HTTP ${status} and no JSON`, cause);
  }
}

function unavailable(why: string, cause?: unknown): RpcError {
  return Object.assign(
    new RpcError(UNAVAILABLE, `The apps of this page aren't available: ${why}.`),
    {
      cause,
    },
  );
}
