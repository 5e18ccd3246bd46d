// Connects to a server through an official client: `Client` of `@modelcontextprotocol/sdk` (v1) or of
// `@modelcontextprotocol/client` (v2), over any transport, in both eras of the protocol.

import { RpcError } from "@vitrine/protocol";
import type { McpClientLike } from "./official-client.ts";
import type { ListName, Upstream, UpstreamCapabilities } from "./upstream.ts";

// The same, as it is called here.
interface Caller {
  transport?: { onmessage?: ((message: unknown, extra: unknown) => void) | undefined };
  request(request: object, schema: object, options: object): Promise<never>;
}

interface Ear {
  listeners: Set<(list: ListName) => void>;
  /** The observed transport. */
  transport?: object | undefined;
  undo?: () => void;
  /** Ends the subscription of a server of 2026-07-28. */
  close?: (() => void) | undefined;
}

// Accepts every result unchanged. Official schemas drop unknown fields, and a view may need them
// (HST-47). v1 calls `safeParse`, v2 the Standard Schema.
const anything = {
  safeParse: (data: unknown) => ({ success: true, data }),
  "~standard": { version: 1, vendor: "vitrine", validate: (value: unknown) => ({ value }) },
};

// One observer per client, however many upstreams share it.
const ears = new WeakMap<McpClientLike, Ear>();

/**
 * Creates an upstream from an official client. Several may share one client, and the handlers that
 * the host has set on it stay. Requests have no time limit here; pass a signal.
 */
export function mcpClientUpstream(client: McpClientLike, { server }: { server: string }): Upstream {
  const caller = client as unknown as Caller;
  const ear = ears.get(client) ?? { listeners: new Set() };
  ears.set(client, ear);
  return {
    server,
    get capabilities() {
      return (client.getServerCapabilities() ?? {}) as UpstreamCapabilities;
    },
    request: async (method, params, { signal, onprogress } = {}) => {
      // The client may have been reconnected.
      attend(client, ear);
      try {
        const options = { signal, onprogress, timeout: 2 ** 31 - 1 };
        return await caller.request({ method, params }, anything, options);
      } catch (error) {
        // v1 and v2 report an abort as a timeout.
        signal?.throwIfAborted();
        throw client.transport ? answerOf(error as SdkError) : error;
      }
    },
    onListChanged: (listener) => {
      // A new function each time, so that the same listener can be added twice and removed once.
      const entry = (list: ListName): void => listener(list);
      ear.listeners.add(entry);
      attend(client, ear);
      return () => {
        ear.listeners.delete(entry);
        if (!ear.listeners.size) ear.undo?.();
      };
    },
  };
}

type SdkError = RpcError & { data?: { text?: string } };

/**
 * The server's response in an error of the SDK, or the error itself if the server did not respond.
 */
function answerOf(error: SdkError): unknown {
  const { name, code, message, data } = error;
  if (name === "ProtocolError") return new RpcError(code, message, data);
  // v1 puts the code before the message.
  if (name === "McpError")
    return new RpcError(code, message.replace(/^MCP error -?\d+: /, ""), data);
  try {
    // A server of 2026-07-28 answers an unknown method with HTTP 404, and v2 leaves that response as
    // text.
    const answer = JSON.parse(data?.text as string);
    if (answer.id != null) {
      return new RpcError(answer.error.code, answer.error.message, answer.error.data);
    }
  } catch {
    // Not a response.
  }
  return error;
}

/**
 * Observes `list_changed` in the transport. `setNotificationHandler` has one slot per method, and the
 * host or an official bridge may have taken it.
 */
function attend(client: McpClientLike, ear: Ear): void {
  const { transport } = client as unknown as Caller;
  if (!transport || !ear.listeners.size) return;
  if (transport !== ear.transport) tap(transport, ear);
  if (client.getProtocolEra?.() === "modern") ear.close ??= subscribe(client, ear);
}

function tap(transport: NonNullable<Caller["transport"]>, ear: Ear): void {
  const before = transport.onmessage;
  const tapped = (message: unknown, extra: unknown): void => {
    before?.call(transport, message, extra);
    const { method } = message as { method?: string };
    const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(`${method}`)?.[1];
    if (list) announce(ear, list as ListName);
  };
  transport.onmessage = tapped;
  ear.transport = transport;
  ear.close = undefined;
  ear.undo = () => {
    ear.close?.();
    ear.close = undefined;
    // Another observer was added after us: ours stays without listeners, and is used again.
    if (transport.onmessage !== tapped) return;
    transport.onmessage = before;
    ear.transport = undefined;
  };
}

function announce({ listeners }: Ear, list: ListName): void {
  // An error of a listener goes to the page, not to the transport.
  for (const listener of listeners) {
    queueMicrotask(() => listeners.has(listener) && listener(list));
  }
}

/** Since 2026-07-28 a server only notifies subscribers; the code for it is loaded on demand. */
function subscribe(client: McpClientLike, ear: Ear): () => void {
  const over = new AbortController();
  const tell = (list: ListName): void => announce(ear, list);
  void import("./subscription.ts").then(({ subscribe }) => subscribe(client, tell, over.signal));
  return () => over.abort();
}
