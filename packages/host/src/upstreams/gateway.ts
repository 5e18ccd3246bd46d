// The way to a Server through a Vitrine gateway: a WebSocket for each View, or HTTP where none opens. The
// gateway knows the View by a ticket that this page holds and the View never sees.

import { LocalError, type RequestId, RpcError } from "@vitrine/protocol";
import type {
  ListName,
  Upstream,
  UpstreamCapabilities,
  UpstreamRequestOptions,
} from "./upstream.ts";

/** Which View of which Server, and who asks. */
export interface GatewayOptions {
  /** Address of the gateway, as `https://gateway.example.com`. */
  gateway: string;
  /** The gateway's name for the Server. */
  server: string;
  /** The `ui://` address of the View. */
  resource: string;
  /** The user's token for the gateway; asked for again when a ticket has expired. */
  token(): string | Promise<string>;
  /** Asked when the View is not what the user approved; without it such a View is not opened. */
  onChanged?: ((changes: readonly string[]) => boolean | Promise<boolean>) | undefined;
}

/** An upstream that has a connection. */
export interface GatewayUpstream extends Upstream {
  /** What carries the messages at this moment. */
  readonly carrier: "websocket" | "http" | "none";
  close(): void;
}

/** What happens on the way to a gateway. */
export type GatewayErrorCode =
  | "gateway-refused" // it does not open the View
  | "outcome-unknown" // the connection was lost during a call that may have been made
  | "closed";

/** A request under way. */
export interface Sent {
  message: { jsonrpc: "2.0"; id: RequestId; method: string; params: unknown };
  isSent: boolean;
  settle(answer: {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  }): void;
  fail(reason: unknown): void;
  onprogress: UpstreamRequestOptions["onprogress"];
}

/** What carries messages. */
export interface Carrier {
  readonly name: "websocket" | "http";
  send(sent: Sent): void;
  cancel(id: RequestId): void;
  close(): void;
}

/** What a carrier needs to know. */
export interface CarrierParts {
  url: URL;
  /** A ticket that is still good, or a new one. */
  ticket(isFresh: boolean): Promise<string>;
  onListChanged(list: ListName): void;
  /** The carrier cannot work here: another may. */
  onUseless(left: Sent[]): void;
}

interface Opened {
  ticket: string;
  expires: number;
  capabilities?: UpstreamCapabilities;
}

const CONSENT_REQUIRED = -33_005;

/** Opens a View at the gateway; resolves when it may be used. */
export async function openGatewayUpstream(options: GatewayOptions): Promise<GatewayUpstream> {
  const { gateway, server, token } = options;
  const base = new URL(
    `servers/${encodeURIComponent(server)}/`,
    new URL(gateway, globalThis.location?.href),
  );
  const listeners = new Set<(list: ListName) => void>();
  const pending = new Map<RequestId, Sent>();
  let opened = await openView(base, options);
  let carrier: Carrier | undefined;
  let isClosed = false;
  let lastId = 0;

  const parts: CarrierParts = {
    url: new URL("mcp", base),
    ticket: async (isFresh) => {
      if (isFresh || opened.expires < Date.now() + 5000) opened = await openView(base, options);
      return opened.ticket;
    },
    onListChanged: (list) => {
      for (const listener of [...listeners]) listener(list);
    },
    onUseless: async (left) => {
      const { httpCarrier } = await import("./gateway-http.ts");
      carrier = httpCarrier(parts);
      for (const sent of left) carrier.send(sent);
    },
  };
  const { socketCarrier } = await import("./gateway-socket.ts");
  carrier = socketCarrier(parts);

  const send = (
    method: string,
    params: object,
    options: UpstreamRequestOptions,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal, onprogress } = options;
      if (isClosed) return reject(new LocalError<GatewayErrorCode>("closed", server));
      if (signal?.aborted) return reject(signal.reason);
      const id = ++lastId;
      const abort = (): void => {
        carrier?.cancel(id);
        sent.fail(signal?.reason);
      };
      const end = (): void => {
        pending.delete(id);
        signal?.removeEventListener("abort", abort);
      };
      const sent: Sent = {
        message: { jsonrpc: "2.0", id, method, params: withToken(params, id, onprogress) },
        isSent: false,
        onprogress,
        settle: ({ result, error }) => {
          end();
          if (error) reject(new RpcError(error.code, error.message, error.data));
          else resolve(withoutType(result));
        },
        fail: (reason) => {
          end();
          reject(reason);
        },
      };
      pending.set(id, sent);
      signal?.addEventListener("abort", abort);
      carrier?.send(sent);
    });

  const request = async (method: string, params: object, options: UpstreamRequestOptions = {}) => {
    try {
      return await send(method, params, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== CONSENT_REQUIRED) throw error;
      // Nothing reached the Server yet. That the user agrees, the Host has made sure of before it asked us.
      await grant(base, await token(), params);
      return send(method, params, options);
    }
  };
  return {
    server,
    capabilities: opened.capabilities ?? { tools: {}, resources: {} },
    get carrier() {
      return isClosed ? "none" : (carrier?.name ?? "none");
    },
    request: request as Upstream["request"],
    onListChanged: (listener) => {
      const entry = (list: ListName): void => listener(list);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    close: () => {
      isClosed = true;
      carrier?.close();
      for (const sent of [...pending.values()]) {
        sent.fail(new LocalError<GatewayErrorCode>("closed", server));
      }
    },
  };
}

/** Asks for a ticket; where the View has changed since it was approved, the user is asked first. */
async function openView(base: URL, options: GatewayOptions): Promise<Opened> {
  const { resource, onChanged } = options;
  const token = await options.token();
  let approve: string | undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = await post(new URL("views", base), token, { resource, approve });
    if (answer.ok) return (await answer.json()) as Opened;
    const { error } = (await answer.json().catch(() => ({}))) as {
      error?: { message?: string; data?: { changes?: string[]; approve?: string } };
    };
    const { changes, approve: proposal } = error?.data ?? {};
    const isAccepted = !!changes && !!proposal && (await onChanged?.(changes)) === true;
    if (!isAccepted) throw refusedBy(base, error?.message ?? `HTTP ${answer.status}`);
    approve = proposal;
  }
  throw refusedBy(base, "It changes while it is being approved.");
}

async function grant(base: URL, token: string, params: object): Promise<void> {
  const { name, arguments: given } = params as { name?: string; arguments?: object };
  const body = { tool: name, scope: "once", arguments: given ?? {} };
  const answer = await post(new URL("grants", base), token, body);
  if (!answer.ok) throw refusedBy(base, `HTTP ${answer.status} for a grant`);
}

function post(url: URL, token: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
}

function refusedBy(base: URL, why: string): LocalError {
  const error = new LocalError<GatewayErrorCode>("gateway-refused", base.host);
  return Object.assign(error, { cause: why });
}

/** Of the wire since 2026-07-28, not of the result: official clients take it off as well. */
function withoutType(result: unknown): unknown {
  const { resultType, ...rest } = Object(result) as { resultType?: unknown };
  return resultType === "complete" ? rest : result;
}

function withToken(params: object, id: number, onprogress: Sent["onprogress"]): object {
  if (!onprogress) return params;
  const { _meta } = params as { _meta?: object };
  return { ...params, _meta: { ..._meta, progressToken: id } };
}
