// Connects to a server through a Vitrine gateway: a WebSocket per view, or HTTP if no WebSocket
// opens. The gateway identifies the view by a ticket that this page holds and the view never sees.

import { LocalError, type RequestId, RpcError } from "@vitrine/protocol";
import type { Carrier, CarrierParts, GatewayErrorCode, Sent } from "./gateway-carrier.ts";
import type { ReceiptSender } from "./gateway-receipts.ts";
import type { ViewReceipt } from "./receipt.ts";
import type {
  ListName,
  SandboxCredential,
  Upstream,
  UpstreamCapabilities,
  UpstreamRequestOptions,
} from "./upstream.ts";

export { type GatewayView, gatewayViewOf } from "./gateway-source.ts";

/** Which view of which server, and the user. */
export interface GatewayOptions {
  /** Address of the gateway, such as `https://gateway.example.com`. */
  gateway: string;
  /** The gateway's name for the server. */
  server: string;
  /** The `ui://` address of the view. */
  resource: string;
  /** Returns the user's token for the gateway; called again when a ticket has expired. */
  token(): string | Promise<string>;
  /**
   * Called when the view differs from the one that the user approved; without it the view isn't
   * opened.
   */
  onChanged?: ((changes: readonly string[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether the page reports to the gateway's audit log what a view did in the page: messages, opened
   * links, downloads, model context and the user's answers. Defaults to true.
   */
  receipts?: boolean | undefined;
}

/** An upstream with a connection. */
export interface GatewayUpstream extends Upstream {
  /** The transport in use. */
  readonly carrier: "websocket" | "http" | "none";
  close(): void;
}

interface Opened {
  ticket: string;
  expires: number;
  capabilities?: UpstreamCapabilities;
}

const CONSENT_REQUIRED = -33_005;

/** Opens a view at the gateway. Resolves when it is ready. */
export async function openGatewayUpstream(options: GatewayOptions): Promise<GatewayUpstream> {
  const { gateway, server, token } = options;
  const base = new URL(
    `servers/${encodeURIComponent(server)}/`,
    new URL(gateway, globalThis.location?.href),
  );
  const listeners = new Set<(list: ListName) => void>();
  const traces = new WeakMap<object, string>();
  let receipts: Promise<ReceiptSender> | undefined;
  const lostListeners = new Set<(reason: string) => void>();
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
    onLost: (reason) => {
      for (const listener of [...lostListeners]) listener(reason);
    },
    onUseless: async (left) => {
      const { httpCarrier } = await import("./gateway-http.ts");
      carrier = httpCarrier(parts);
      for (const sent of left) carrier.send(sent);
    },
  };
  const { socketCarrier } = await import("./gateway-socket.ts");
  carrier = socketCarrier(parts);

  const report = ({ ...receipt }: ViewReceipt): void => {
    if (receipt.kind === "consent" && receipt.tool !== undefined) {
      traces.set(receipt.request, newId(16));
    }
    receipts ??= import("./gateway-receipts.ts").then(({ createReceiptSender }) =>
      createReceiptSender({
        url: new URL("receipts", base),
        ticket: () => parts.ticket(false),
        traceOf: (request) => traces.get(request),
      }),
    );
    // A page that can't load more code shows that elsewhere.
    receipts.then(
      (sender) => sender.add(receipt),
      () => {},
    );
  };

  const send = (
    method: string,
    params: object,
    options: UpstreamRequestOptions,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal, onprogress, request = {} } = options;
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
        message: {
          jsonrpc: "2.0",
          id,
          method,
          params: withMeta(params, {
            ...(onprogress && { progressToken: id }),
            ...(traces.has(request) && { traceparent: `00-${traces.get(request)}-${newId(8)}-00` }),
          }),
        },
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
      // Nothing has reached the server yet. The host asked the user before it sent the request.
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
    ...(options.receipts !== false && { report }),
    onLost: (listener) => {
      const entry = (reason: string): void => listener(reason);
      lostListeners.add(entry);
      return () => lostListeners.delete(entry);
    },
    sandboxCredential: async (resource) => credentialOf(base, await token(), resource),
    close: () => {
      isClosed = true;
      void receipts?.then((sender) => sender.close());
      carrier?.close();
      for (const sent of [...pending.values()]) {
        sent.fail(new LocalError<GatewayErrorCode>("closed", server));
      }
    },
  };
}

/** Requests a ticket. If the view has changed since it was approved, the user is asked first. */
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
    if (!isAccepted) {
      const refusal = refusedBy(base, error?.message ?? `HTTP ${answer.status}`);
      throw Object.assign(refusal, { status: answer.status });
    }
    approve = proposal;
  }
  throw refusedBy(base, "The view changed again while it was being approved.");
}

async function grant(base: URL, token: string, params: object): Promise<void> {
  const { name, arguments: given } = params as { name?: string; arguments?: object };
  const body = { tool: name, scope: "once", arguments: given ?? {} };
  const answer = await post(new URL("grants", base), token, body);
  if (!answer.ok) throw refusedBy(base, `HTTP ${answer.status} for a grant`);
}

/** `undefined` if the gateway runs no sandbox: another sandbox may not need a credential. */
async function credentialOf(
  base: URL,
  token: string,
  resource: string,
): Promise<SandboxCredential | undefined> {
  const answer = await post(new URL("sandbox-credential", base), token, { resource });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw refusedBy(base, `HTTP ${answer.status} for a sandbox credential`);
  return (await answer.json()) as SandboxCredential;
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

/** Part of the wire format since 2026-07-28, not of the result: official clients remove it too. */
function withoutType(result: unknown): unknown {
  const { resultType, ...rest } = Object(result) as { resultType?: unknown };
  return resultType === "complete" ? rest : result;
}

function withMeta(params: object, more: object): object {
  if (Object.keys(more).length === 0) return params;
  const { _meta } = params as { _meta?: object };
  return { ...params, _meta: { ..._meta, ...more } };
}

function newId(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
