import type { RequestContext } from "@vitrine/protocol";
import type { McpUiHostContext, McpUiInitializeRequest, Session } from "@vitrine/protocol/apps";
import type { AppBridgeOptions } from "../bridge/bridge-options.ts";
import type { AskingView } from "../consent/consent.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** The context of a handler: the commonly used parts of both official SDKs' contexts. */
export interface RequestHandlerExtra {
  readonly signal: AbortSignal;
  readonly mcpReq: RequestContext & {
    readonly _meta?: object | undefined;
    /** Sends a notification to the View, such as progress. */
    notify(notification: { method: string; params?: object }): Promise<void>;
  };
}

/** A handler whose parameter types were erased. */
export type AnyHandler = (params: never, extra: RequestHandlerExtra) => unknown;

/** A request on its way through the gate. */
export interface ViewRequest {
  readonly context: RequestContext;
  readonly userActive: boolean | undefined;
}

/** The parts of a bridge that the gate needs. */
export interface Guarded {
  readonly upstream: Upstream | undefined;
  readonly options: AppBridgeOptions;
  readonly session: Session;
  readonly context: McpUiHostContext;
  readonly view: AskingView;
  /** The view's introduction. */
  readonly app: McpUiInitializeRequest["params"] | undefined;
  /** After teardown: nothing is served any more. */
  readonly isOver: boolean;
  /** Resolves when the handshake is complete. */
  readonly started: Promise<void>;
  /** Looked up again for each request, after the policy has allowed it. */
  handler(method: string): AnyHandler | undefined;
  initialize(params: McpUiInitializeRequest["params"]): object;
  begin(): void;
  changeContext(changes: McpUiHostContext): void;
  emit(event: string, params: unknown): void;
  notify(method: string, params: object): void;
  report(code: DiagnosticCode, detail: string, cause?: unknown): void;
  /** So many malformed messages that the sender isn't an author who made a mistake. */
  onAbuse(): void;
}
