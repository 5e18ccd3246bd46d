// `fetch` for one server and its log-in. The user's headers go to the server's origin only, redirects
// aren't followed here, and what a log-in reads is bounded and observed.

import type { LoginExchange } from "./login-exchange.ts";

/** The official client's type of `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface LoginFetchOptions {
  /** Headers for the server, from the user. */
  headers?: Headers | undefined;
  /** Called with each request of a log-in, and with each that the server rejects as unauthorized. */
  onExchange(exchange: LoginExchange): void;
  /** Called with the token of each request that the server rejected as unauthorized. */
  onRejected(response: Response, token: string | undefined): void;
}

const LONGEST_ANSWER = 256 * 1024;
const PATIENCE = 15_000;

/** Creates the function; `server` is the address of the MCP server. */
export function createLoginFetch(server: URL, options: LoginFetchOptions): Fetch {
  return async (to, init = {}) => {
    const url = new URL(to);
    const headers = new Headers(init.headers);
    if (url.origin === server.origin)
      options.headers?.forEach((value, name) => {
        headers.set(name, value);
      });
    // The caller decides about redirects: by default `fetch` would repeat our headers elsewhere.
    const request = { ...init, headers, redirect: init.redirect ?? "manual" } as const;
    if (url.href !== server.href) return fetchStep(url, request, options);
    const response = await fetch(url, request);
    if (response.status !== 401 && response.status !== 403) return response;
    const { status } = response;
    options.onRejected(response, headers.get("authorization")?.replace(/^Bearer /i, ""));
    if (status === 401 || response.headers.has("www-authenticate"))
      options.onExchange({ method: methodOf(init), url, status, headers: response.headers });
    return response;
  };
}

async function fetchStep(
  url: URL,
  request: RequestInit,
  { onExchange }: LoginFetchOptions,
): Promise<Response> {
  const body = request.body instanceof URLSearchParams ? request.body : String(request.body ?? "");
  const asked = { method: methodOf(request), url, body };
  try {
    const limit = AbortSignal.timeout(PATIENCE);
    const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
    const response = await fetch(url, { ...request, signal });
    const text = await readBounded(response);
    const { status, headers } = response;
    onExchange({ ...asked, status, headers, text });
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : text, { status, headers: plain(headers) });
  } catch (error) {
    onExchange({ ...asked, failure: reasonOf(error) });
    throw error;
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > LONGEST_ANSWER) throw new Error("The response is longer than 256 KB");
  }
  return text + decoder.decode();
}

/** The body is decoded already. */
function plain(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("content-encoding");
  copy.delete("content-length");
  return copy;
}

function methodOf({ method = "GET" }: RequestInit): string {
  return method.toUpperCase();
}

/** `fetch` hides the reason in the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: unknown };
  const { code } = Object(cause) as { code?: unknown };
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND") return "the host name doesn't exist";
  return cause instanceof Error && cause.message !== "" ? cause.message : String(message ?? error);
}
