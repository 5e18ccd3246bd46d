// An upstream is one MCP server as the gateway sees it. Whatever protocol version the server supports, hosts
// see a server of 2026-07-28. Messages are parsed values and are serialized where they leave the process, so
// that the checked message is the one that is sent.

import type { JsonRpcError, JsonRpcNotification, JsonRpcResult } from "@vitrine/protocol";
import { CodedError } from "../errors/coded-error.ts";
import type { CallerMessage, RequestMessage } from "../json-rpc/message.ts";

/** The owner of a call. Determines its credential, session and process. */
export interface UpstreamScope {
  tenant: string;
  user: string;
  /** The user's own headers for an HTTP server, such as `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /** Headers that are the same for all users, such as a service account's token. */
  shared?: Readonly<Record<string, string>>;
  /** The groups in the user's token, for a server that wants them. */
  groups?: readonly string[];
  /** The user's own token, for an upstream that exchanges it. It's removed before a call is sent anywhere. */
  subject?: SubjectCredential;
}

/** A user's own token. It isn't part of a message: as JSON, it's undefined. */
export interface SubjectCredential {
  /** Milliseconds since 1970. */
  readonly expires: number | undefined;
  reveal(): string;
  toJSON(): undefined;
}

/** One JSON-RPC request on its way to a server. */
export interface UpstreamCall {
  /** The request that was checked. */
  message: RequestMessage;
  signal: AbortSignal;
  /** Milliseconds from now. */
  deadline: number;
  /** Called for each notification that belongs to this request (progress, log). */
  onNotification?(notification: JsonRpcNotification): void;
  scope: UpstreamScope;
  /** The schema of the called tool, if known. It may require arguments as headers. */
  inputSchema?: unknown;
  /** `mcp-param-*` headers of the client. An intermediary must forward those it doesn't know. */
  paramHeaders?: Readonly<Record<string, string>>;
}

/** The response of a server. A JSON-RPC error of the server is a response too. */
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

/** What to subscribe to besides the lists. */
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
  /**
   * Subscribes until the returned function is called, and resubscribes after each interruption. Then it
   * reports everything that may have changed.
   */
  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void;
  close(): Promise<void>;
}

/** An upstream whose state, a process or session, must belong to one gateway process. */
export interface OwnableUpstream extends Upstream {
  /**
   * Scopes with the same key share a process or session. Undefined for a server without either. May return
   * synchronously.
   */
  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined>;
  /** Scopes with the same key share a stream of changes. */
  changeKey(scope: UpstreamScope): string;
  /** Ends the process or session of a key, or all of them, immediately. Running calls are lost. */
  end(key?: string): Promise<void>;
}

/** Why a call failed. */
export type UpstreamErrorCode =
  | "unreachable" // no connection, or it was lost before anything can have happened
  | "timeout" // no response within the deadline
  | "aborted" // the caller cancelled the call
  | "too-large" // a response or request exceeds the limit
  | "malformed" // a violation of the protocol
  | "crashed" // the process ended or doesn't start
  | "unauthorized" // the server requires another credential
  | "breaker-open" // too many recent failures
  | "outcome-unknown" // the request was sent and no response came: it may have been executed
  | "busy" // no free slot within the deadline
  | "refused-address" // the address of the server, or one that it names, isn't allowed
  | "closed"; // this upstream was closed

/** Facts about a failure, for logs and decisions; never for a View. */
export interface UpstreamErrorFacts {
  /** Whether the request may have reached the server. */
  sent?: boolean;
  /** The HTTP status. */
  status?: number;
  /** `www-authenticate` of a server that requires another credential. */
  challenge?: string;
  /** Milliseconds to wait before another attempt. */
  retryAfter?: number;
  /** The last output of the process on stderr. */
  stderr?: string;
  cause?: unknown;
}

/** Why a call has no response. */
export class UpstreamError extends CodedError<UpstreamErrorCode> {
  readonly facts: UpstreamErrorFacts;

  constructor(code: UpstreamErrorCode, message: string, facts: UpstreamErrorFacts = {}) {
    super(code, message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.facts = facts;
  }

  /** Whether the request may have reached the server. */
  get sent(): boolean {
    return this.facts.sent ?? false;
  }

  /** The same failure with other facts or another code. */
  with(facts: UpstreamErrorFacts, code: UpstreamErrorCode = this.code): UpstreamError {
    return new UpstreamError(code, this.message, { ...this.facts, ...facts });
  }
}
