import type { RequestId } from "@vitrine/protocol";
import type { ListName, UpstreamRequestOptions } from "./upstream.ts";

/** Errors of a connection to a gateway. */
export type GatewayErrorCode =
  | "gateway-refused" // the gateway rejects the view
  | "outcome-unknown" // the connection was lost; the call may or may not have run
  | "closed";

/** A pending request. */
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

/** A transport for messages to a gateway. */
export interface Carrier {
  readonly name: "websocket" | "http";
  send(sent: Sent): void;
  cancel(id: RequestId): void;
  close(): void;
}

/** The state that carriers share. */
export interface CarrierParts {
  url: URL;
  /** Returns a valid ticket. `isFresh` requests a new one. */
  ticket(isFresh: boolean): Promise<string>;
  onListChanged(list: ListName): void;
  /** Called when the gateway refuses the view for good. */
  onLost(reason: string): void;
  /** Called when the carrier can't connect; another carrier sends the requests in `left`. */
  onUseless(left: Sent[]): void;
}
