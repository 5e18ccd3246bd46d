// A leg is how one server is spoken to in one era. What all of them need (deadlines, breaker, queue, what a
// lost answer means) is around them, in guarded-upstream.ts.

import type { CallerMessage } from "../json-rpc/message.ts";
import type { CallLifetime } from "./call-lifetime.ts";
import type {
  DiscoverResult,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
  UpstreamScope,
} from "./upstream.ts";

/** A call whose end somebody else watches. */
export type LegCall = Omit<UpstreamCall, "signal" | "deadline"> & { lifetime: CallLifetime };

/** News of the server, without its name. */
export type News = Omit<UpstreamEvent, "server">;

/** A stream of news. */
export interface Listening {
  /** Settles when the stream ends, whatever the reason. */
  readonly closed: Promise<void>;
  /** False if the server will never tell anything. */
  readonly isHeard: boolean;
  stop(): void;
}

/** One server in one era. */
export interface Leg {
  send(call: LegCall): Promise<UpstreamAnswer>;
  notify(message: CallerMessage, scope: UpstreamScope): Promise<void>;
  discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult>;
  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    tell: (news: News) => void,
  ): Promise<Listening>;
  close(): Promise<void>;
}

/** A leg that tells what is the same for whom. */
export interface KeyedLeg extends Leg {
  /** Who shares a stream of news. */
  newsKey(scope: UpstreamScope): string;
  /** Who shares a process or session; nothing where there is none. */
  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined>;
  /** Ends the process or session of a key, or all of them, at once. */
  end(key?: string): Promise<void>;
}

// Methods that only read. A lost answer to one of them can simply be asked for again.
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

/** True if repeating the call cannot do anything twice. */
export function isRepeatable(
  method: string,
  { repeatable }: Pick<UpstreamCall, "repeatable">,
): boolean {
  return SAFE.has(method) || repeatable === true;
}

const NEWS: ReadonlyMap<string, News["kind"]> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/updated", "resource"],
]);

/** The news in a notification, if there are any. */
export function newsOf(method: string, params: unknown): News | undefined {
  const kind = NEWS.get(method);
  if (kind !== "resource") return kind && { kind };
  const uri = (params as { uri?: unknown } | undefined)?.uri;
  return typeof uri === "string" ? { kind, uri } : undefined;
}

/** What to ask for to hear all there is, and the resources. */
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

/** Whether a server that acknowledged to be listened to will ever tell anything. */
export function isAnythingHonoured(params: unknown): boolean {
  const { notifications } = Object(params) as { notifications?: unknown };
  return Object.keys(Object(notifications)).length > 0;
}
