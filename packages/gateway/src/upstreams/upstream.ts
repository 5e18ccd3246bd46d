// An upstream is one MCP server as the gateway sees it. Whatever the server speaks, hosts meet one of
// 2026-07-28. Messages are parsed values and are serialized where they leave the process: what was checked is
// what is sent.

import type { JsonRpcError, JsonRpcNotification, JsonRpcResult } from "@vitrine/protocol";
import type { CallerMessage, RequestMessage } from "../json-rpc/message.ts";
import type { CallSignal } from "./cancellation.ts";

/** Whose call it is: which credential, session and process it may use. */
export interface UpstreamScope {
  tenant: string;
  user: string;
  /** The user's own headers for an HTTP server, such as `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /** The user's own variables for a stdio server; only names the server's configuration allows. */
  env?: Readonly<Record<string, string>>;
}

/** One JSON-RPC request on its way to a server. */
export interface UpstreamCall {
  /** The request that was checked. */
  message: RequestMessage;
  signal: CallSignal;
  /** Milliseconds from now. */
  deadline: number;
  /** Called for each notification that belongs to this request (progress, log). */
  onNotification?(notification: JsonRpcNotification): void;
  scope: UpstreamScope;
  /** The schema of the tool that is called, where known: it may ask for arguments as headers. */
  inputSchema?: unknown;
  /** `mcp-param-*` headers of the client; an intermediary must forward those it does not know. */
  paramHeaders?: Readonly<Record<string, string>>;
  /** The tool is annotated read-only or idempotent, and the caller wants it repeated when it is lost. */
  repeatable?: boolean;
}

/** What a server answered. A JSON-RPC error of the server is an answer. */
export interface UpstreamAnswer {
  /** A JSON-RPC response with the id of the request. */
  readonly message: JsonRpcResult | JsonRpcError;
}

/** A list or a resource of the server may have changed. */
export interface UpstreamEvent {
  server: string;
  kind: "tools" | "resources" | "prompts" | "resource";
  uri?: string;
}

/** The result of `server/discover`, whatever the era of the server. */
export interface DiscoverResult {
  resultType: "complete";
  supportedVersions: string[];
  capabilities: Record<string, unknown>;
  instructions?: string;
  ttlMs: number;
  cacheScope: "public" | "private";
  _meta?: Record<string, unknown>;
  [unknown: string]: unknown;
}

/** What to hear besides the lists. */
export interface ListenOptions {
  /** URIs of resources whose updates are wanted. */
  resources?: readonly string[];
}

/** One MCP server. */
export interface Upstream {
  readonly id: string;
  readonly kind: "http" | "sse" | "stdio";
  /** Rejects with an `UpstreamError`. */
  send(call: UpstreamCall): Promise<UpstreamAnswer>;
  notify(message: CallerMessage, scope: UpstreamScope): Promise<void>;
  discover(scope: UpstreamScope): Promise<DiscoverResult>;
  /** Listens until its undo, again after each loss; then everything that may have been missed is told. */
  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void;
  close(): Promise<void>;
}

/** An upstream of which it can be said what one process alone can have of it. */
export interface OwnableUpstream extends Upstream {
  /**
   * Who shares the process or session that this scope uses; nothing for a server without either. What it
   * gives at once costs nothing.
   */
  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined>;
  /** Who shares a stream of news. */
  newsKey(scope: UpstreamScope): string;
  /** Ends the process or session of a key, or all of them, at once; calls that are under way are lost. */
  end(key?: string): Promise<void>;
}

/** What can happen to a call. */
export type UpstreamErrorCode =
  | "unreachable" // no connection, or it was lost and nothing can have happened
  | "timeout" // no answer within the deadline
  | "aborted" // the caller gave up
  | "too-large" // an answer, or a request, beyond the limit
  | "malformed" // not the protocol
  | "crashed" // the process ended, or does not start
  | "unauthorized" // the server wants another credential
  | "breaker-open" // too many failures a moment ago
  | "outcome-unknown" // the request left and no answer came: it may have been carried out
  | "busy" // no free place within the deadline
  | "refused-address" // where the server lives, or points to, is not allowed
  | "closed"; // this upstream was closed

/** Facts about a failure, for logs and decisions; never for a View. */
export interface UpstreamErrorFacts {
  /** Whether the request may have reached the server. */
  sent?: boolean;
  /** The HTTP status. */
  status?: number;
  /** `www-authenticate` of a server that wants another credential. */
  challenge?: string;
  /** Milliseconds after which another attempt makes sense. */
  retryAfter?: number;
  /** What a process wrote to stderr last. */
  stderr?: string;
  cause?: unknown;
}

/** Why a call has no answer. */
export class UpstreamError extends Error {
  readonly code: UpstreamErrorCode;
  readonly facts: UpstreamErrorFacts;

  constructor(code: UpstreamErrorCode, message: string, facts: UpstreamErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "UpstreamError";
    this.code = code;
    this.facts = facts;
  }

  /** Whether the request may have reached the server. */
  get sent(): boolean {
    return this.facts.sent ?? false;
  }

  /** The same failure, with other facts, or seen as another one. */
  with(facts: UpstreamErrorFacts, code: UpstreamErrorCode = this.code): UpstreamError {
    return new UpstreamError(code, this.message, { ...this.facts, ...facts });
  }
}
