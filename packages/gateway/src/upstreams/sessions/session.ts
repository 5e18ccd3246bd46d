import type { CallerMessage } from "../../json-rpc/message.ts";
import type { CallLifetime } from "../call-lifetime.ts";
import type { Listening, TransportCall } from "../transport.ts";
import type { DiscoverResult, UpstreamAnswer } from "../upstream.ts";

/** A session over a wire that several callers share. */
export interface Session {
  /** Requests in progress. */
  readonly size: number;
  send(call: TransportCall): Promise<UpstreamAnswer>;
  notify(message: CallerMessage): Promise<void>;
  discover(lifetime: CallLifetime): Promise<DiscoverResult>;
  /** Subscribes to changes, which go to the session's `onChange`. */
  listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening>;
  /** Calls `fn` when the wire is lost. */
  onEnd(fn: () => void): () => boolean;
  /** With `now`, without a graceful shutdown. */
  close(options?: { now?: boolean }): Promise<void>;
}
