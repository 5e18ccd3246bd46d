import type { CallerMessage } from "../../json-rpc/message.ts";
import type { CallLifetime } from "../call-lifetime.ts";
import type { LegCall, Listening } from "../leg.ts";
import type { DiscoverResult, UpstreamAnswer } from "../upstream.ts";

/** A conversation over a wire that several callers share. */
export interface Session {
  /** Requests under way. */
  readonly size: number;
  send(call: LegCall): Promise<UpstreamAnswer>;
  notify(message: CallerMessage): Promise<void>;
  discover(lifetime: CallLifetime): Promise<DiscoverResult>;
  /** Asks for news, which come to whoever the session was made for. */
  listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening>;
  /** Calls `fn` when the wire is lost. */
  onEnd(fn: () => void): () => boolean;
  /** With `now`, without a farewell. */
  close(options?: { now?: boolean }): Promise<void>;
}
