// A transport connects to one server in one protocol era. Deadlines, circuit breaker, queue and the handling
// of lost responses are the same for all transports and live in guarded-upstream.ts.

import type { CallerMessage } from "../json-rpc/message.ts";
import type { CallLifetime } from "./call-lifetime.ts";
import type {
  DiscoverResult,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
  UpstreamScope,
} from "./upstream.ts";

/** A call whose lifetime is managed by its caller. */
export type TransportCall = Omit<UpstreamCall, "signal" | "deadline"> & { lifetime: CallLifetime };

/** A change of the server, without the server's name. */
export type ServerChange = Omit<UpstreamEvent, "server">;

/** A stream of changes. */
export interface Listening {
  /** Settles when the stream ends, whatever the reason. */
  readonly closed: Promise<void>;
  /** False if the server will never send a change. */
  readonly sendsChanges: boolean;
  stop(): void;
}

/** One server in one era. */
export interface Transport {
  send(call: TransportCall): Promise<UpstreamAnswer>;
  notify(message: CallerMessage, scope: UpstreamScope): Promise<void>;
  discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult>;
  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    onChange: (change: ServerChange) => void,
  ): Promise<Listening>;
  close(): Promise<void>;
}

/** A transport with keys for what its callers can share. */
export interface KeyedTransport extends Transport {
  /** Scopes with the same key share a stream of changes. */
  changeKey(scope: UpstreamScope): string;
  /** Scopes with the same key share a process or session. Undefined if the server has neither. */
  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined>;
  /** Ends the process or session of a key, or all of them, immediately. */
  end(key?: string): Promise<void>;
}

// Methods that only read. If a response is lost, the request can be sent again.
const SAFE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
  "tasks/get",
]);

/** Whether repeating a call of this method has no further effect. */
export function isRepeatable(method: string): boolean {
  return SAFE.has(method);
}

const CHANGES: ReadonlyMap<string, ServerChange["kind"]> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/updated", "resource"],
]);

/** The change that a notification reports, if any. */
export function changeOf(method: string, params: unknown): ServerChange | undefined {
  const kind = CHANGES.get(method);
  if (kind !== "resource") return kind && { kind };
  const uri = (params as { uri?: unknown } | undefined)?.uri;
  return typeof uri === "string" ? { kind, uri } : undefined;
}

/** Parameters that subscribe to all lists and to these resources. */
export function listenParams(resources: readonly string[]): Record<string, unknown> {
  return {
    notifications: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(resources.length > 0 && { resourceSubscriptions: resources }),
    },
  };
}

/** Whether a server that acknowledged a subscription will ever send a change. */
export function isAnythingHonoured(params: unknown): boolean {
  const { notifications } = Object(params) as { notifications?: unknown };
  return Object.keys(Object(notifications)).length > 0;
}
