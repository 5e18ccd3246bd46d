import type { JsonRpcNotification } from "@vitrine/protocol";
import type { TicketClaims } from "../identity/view-ticket.ts";
import type { CallerMessage } from "../json-rpc/message.ts";
import type { ServerBinding } from "../servers.ts";
import type { CallSignal } from "../upstreams/cancellation.ts";

/** Whoever makes a request. A View is told from the model by its ticket and by nothing it says (GW-07). */
export interface Caller {
  party: "model" | "view";
  tenant: string;
  user: string;
  /** Of a View alone: what it is bound to. */
  ticket?: TicketClaims;
  /** When the token or ticket expires, in milliseconds since 1970; a connection ends then. */
  expires?: number;
}

/** The head of an HTTP request or of a WebSocket's upgrade: the same checks for both. */
export interface RequestHead {
  method: string;
  /** Lower-case names, as node:http has them. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  server: string;
  /** The ticket, wherever the carrier has it. */
  ticket?: string | undefined;
  /** The bearer token, wherever the carrier has it. */
  token?: string | undefined;
  isUpgrade: boolean;
}

/** The part of a tool's definition that the gateway reads; it is the server's word. */
export interface ToolDefinition {
  name: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: { readOnlyHint?: unknown; idempotentHint?: unknown };
  _meta?: unknown;
}

/** One request on its way through the pipeline. */
export interface Exchange {
  readonly carrier: "http" | "websocket";
  readonly caller: Caller;
  readonly server: ServerBinding;
  /** The message as it was parsed; undefined if it isn't JSON. */
  readonly message: unknown;
  /** Characters of its text. */
  readonly size: number;
  readonly headers: RequestHead["headers"];
  readonly signal: CallSignal;
  /**
   * Set by the first link. All checks and the audit log read this value, and this value is what is serialized
   * for the server: a link that has to change it replaces it.
   */
  frame: CallerMessage;
  /** Whether the sender speaks the protocol of 2026-07-28. */
  isModern: boolean;
  /** Set for `tools/call` by the link that found it visible. */
  tool?: ToolDefinition;
  /** A notification that belongs to this request. */
  readonly notify: (notification: JsonRpcNotification) => void;
  /** To be run when the exchange is over: places that were taken. */
  readonly releases: (() => void)[];
}
