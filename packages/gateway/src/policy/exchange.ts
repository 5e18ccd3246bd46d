import type { JsonRpcNotification } from "@vitrine/protocol";
import type { CallerMessage } from "../json-rpc/message.ts";
import type { AccessDecision } from "./authorization/authorizer.ts";
import type { Caller, RequestHead } from "./caller.ts";
import type { ServerBinding } from "./server-binding.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** A caller who was admitted, and the server it may use. */
export interface Admitted {
  caller: Caller;
  server: ServerBinding;
}

/** One request on its way through the pipeline. */
export interface Exchange {
  readonly carrier: "http" | "websocket";
  readonly caller: Caller;
  readonly server: ServerBinding;
  /** The parsed message. Undefined if it isn't JSON. */
  readonly message: unknown;
  /** Length of its text in characters. */
  readonly size: number;
  readonly headers: RequestHead["headers"];
  /** Ends the exchange. A check that can end it too replaces it. */
  signal: AbortSignal;
  /**
   * Set by the first check. All checks and the audit log read this value, and it is serialized for the
   * server. A check that has to change it replaces it.
   */
  frame: CallerMessage;
  /** Whether the sender uses the 2026-07-28 protocol. */
  isModern: boolean;
  /** Set for `tools/call` by the visibility check. */
  tool?: ToolDefinition;
  /** Part of a request to the combined endpoint, which was counted for its caller already. */
  readonly isPart?: boolean;
  /** What the policies decided, if there are any. */
  access?: AccessDecision;
  /** The administrator who approved exactly this call. */
  approvedBy?: string;
  /** Sends a notification that belongs to this request. */
  readonly notify: (notification: JsonRpcNotification) => void;
  /** Called when the exchange is over, to release slots that were taken. */
  readonly releases: (() => void)[];
}

/** The reason of a signal that ended an exchange because the gateway stops. */
export const CUT_OFF: Error = new Error("The gateway stopped before the server responded.");

/** Creates an exchange that no check has seen. */
export function createExchange(
  { caller, server }: Admitted,
  given: Pick<Exchange, "carrier" | "message" | "size" | "headers" | "signal" | "notify">,
): Exchange {
  return {
    ...{ caller, server, ...given },
    // The first check sets it.
    frame: undefined as unknown as Exchange["frame"],
    isModern: false,
    releases: [],
  };
}
