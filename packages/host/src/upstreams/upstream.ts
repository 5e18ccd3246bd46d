import type { Progress } from "@vitrine/protocol";
import type { ViewRequests } from "@vitrine/protocol/apps";
import type { ViewReceipt } from "./receipt.ts";

/** The methods that a view may call on its server; the host answers all others itself. */
export const UPSTREAM_METHODS = [
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
] as const;

/** One of these methods. */
export type UpstreamMethod = (typeof UPSTREAM_METHODS)[number];

/** A list of the server that changed. */
export type ListName = "tools" | "resources" | "prompts";

/** A server's capabilities, as far as a view may use them. */
export interface UpstreamCapabilities {
  tools?: { listChanged?: boolean };
  resources?: { listChanged?: boolean };
  prompts?: { listChanged?: boolean };
}

/** Options of one request. */
export interface UpstreamRequestOptions {
  /** Aborted when the view cancels or goes away. */
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: Progress) => void) | undefined;
  /** The view's request that this one belongs to, for receipts. */
  request?: object | undefined;
}

/** Lets a page register one view at a sandbox, once. */
export interface SandboxCredential {
  /** Address of the sandbox that accepts it; the host sends it to no other. */
  entrance: string;
  credential: string;
}

/**
 * A connection to one server: an official client, callbacks, or the gateway. A view is bound to the
 * one it came from and reaches no other (HST-10); several views may share it.
 */
export interface Upstream {
  /** The host's own name for the server, never the server's name for itself. */
  readonly server: string;
  /** Read at each handshake; an upstream omits what it can't do. */
  readonly capabilities: UpstreamCapabilities;
  /** Rejects with an `RpcError` (the server's response) or with an error of the connection. */
  request<M extends UpstreamMethod>(
    method: M,
    params: ViewRequests[M]["params"],
    options?: UpstreamRequestOptions,
  ): Promise<ViewRequests[M]["result"]>;
  /** Calls `listener` whenever a list changed. Returns an unsubscribe function. */
  onListChanged(listener: (list: ListName) => void): () => void;
  /**
   * Calls `listener` when the server is refused to this page for good: it was removed, or the user lost
   * access. The next request tries again. Returns an unsubscribe function.
   */
  onLost?(listener: (reason: string) => void): () => void;
  /** A credential for a view of this server, if the upstream also runs the sandbox. */
  sandboxCredential?(resource: string): Promise<SandboxCredential | undefined>;
  /** Takes what a view did that the server doesn't receive, if the upstream keeps a log. */
  report?(receipt: ViewReceipt): void;
}
