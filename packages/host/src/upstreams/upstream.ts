import type { Progress } from "@vitrine/protocol";
import type { ViewRequests } from "@vitrine/protocol/apps";

/** What a View may ask of its Server; all else the Host answers itself. */
export type UpstreamMethod =
  | "tools/call"
  | "tools/list"
  | "resources/read"
  | "resources/list"
  | "resources/templates/list"
  | "prompts/list";

/** A list of the Server that changed. */
export type ListName = "tools" | "resources" | "prompts";

/** What a Server offers, as far as a View may use it. */
export interface UpstreamCapabilities {
  tools?: { listChanged?: boolean };
  resources?: { listChanged?: boolean };
  prompts?: { listChanged?: boolean };
}

/** How one request is made. */
export interface UpstreamRequestOptions {
  /** Aborted when the View cancels or goes away. */
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: Progress) => void) | undefined;
}

/**
 * The way to one Server: an official client, callbacks, or the gateway. A View is bound to the one it
 * came from and reaches no other (HST-10); several Views may share it.
 */
export interface Upstream {
  /** The Host's own name for the Server, never what the Server calls itself. */
  readonly server: string;
  /** Read at each handshake; an upstream that cannot do a thing leaves it out. */
  readonly capabilities: UpstreamCapabilities;
  /** Rejects with an `RpcError` (the Server's answer) or whatever the way there throws. */
  request<M extends UpstreamMethod>(
    method: M,
    params: ViewRequests[M]["params"],
    options?: UpstreamRequestOptions,
  ): Promise<ViewRequests[M]["result"]>;
  /** Calls back whenever a list changed; returns the undo. */
  onListChanged(listener: (list: ListName) => void): () => void;
}
