import { LocalError, type RequestId } from "@vitrine/protocol";
import type { Carrier, CarrierParts, GatewayErrorCode, Sent } from "./gateway-carrier.ts";
import { note } from "./gateway-socket.ts";
import { messagesOf } from "./message-stream.ts";

const VERSION = "2026-07-28";
const EXPIRED = 401;

/** Sends messages one by one over HTTP, where no WebSocket connects. List changes aren't reported. */
export function httpCarrier({ url, ticket, onListChanged }: CarrierParts): Carrier {
  const pending = new Map<RequestId, Sent>();
  const aborts = new Map<RequestId, AbortController>();

  const exchange = async (sent: Sent, isFresh = false): Promise<void> => {
    const { id } = sent.message;
    const abort = new AbortController();
    aborts.set(id, abort);
    const headers = headersOf(sent, await ticket(isFresh));
    sent.isSent = true;
    const answer = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(withEnvelope(sent.message)),
      credentials: "omit",
      signal: abort.signal,
    });
    // Rejected before it was executed, so it may be sent again.
    if (answer.status === EXPIRED && !isFresh) return exchange(sent, true);
    for await (const text of messagesOf(answer)) {
      const message = JSON.parse(text) as Record<string, unknown>;
      if (typeof message.method === "string") {
        note(message.method, Object(message.params), pending, onListChanged);
      } else return sent.settle(message as never);
    }
    throw new Error(`HTTP ${answer.status} without an answer`);
  };

  return {
    name: "http",
    send: (sent) => {
      const { id, method } = sent.message;
      pending.set(id, sent);
      exchange(sent)
        .catch((cause: unknown) => {
          const lost = new LocalError<GatewayErrorCode>("outcome-unknown", method);
          sent.fail(Object.assign(lost, { cause }));
        })
        .finally(() => {
          pending.delete(id);
          aborts.delete(id);
        });
    },
    cancel: (id) => aborts.get(id)?.abort(),
    close: () => {
      for (const abort of aborts.values()) abort.abort();
    },
  };
}

function headersOf({ message }: Sent, ticket: string): Record<string, string> {
  const { name, uri } = Object(message.params) as { name?: string; uri?: string };
  const named = name ?? uri;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": message.method,
    ...(named !== undefined && { "mcp-name": ascii(named) }),
    "vitrine-view": ticket,
  };
}

/** Values that aren't safe in a header are encoded. */
function ascii(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?")) return text;
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return `=?base64?${btoa(bytes)}?=`;
}

function withEnvelope(message: Sent["message"]): object {
  const { _meta, ...params } = Object(message.params) as { _meta?: object };
  const own = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { ...message, params: { ...params, _meta: { ..._meta, ...own } } };
}
