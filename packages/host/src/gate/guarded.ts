import type { RequestContext } from "@vitrine/protocol";
import type { McpUiHostContext, McpUiInitializeRequest, Session } from "@vitrine/protocol/apps";
import type { AppBridgeOptions } from "../bridge/bridge-options.ts";
import type { AskingView } from "../consent/consent.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** What a handler gets beside the params: what the contexts of both official SDKs have in common use. */
export interface RequestHandlerExtra {
  readonly signal: AbortSignal;
  readonly mcpReq: RequestContext & {
    readonly _meta?: object | undefined;
    /** Sends a notification to the View, such as progress. */
    notify(notification: { method: string; params?: object }): Promise<void>;
  };
}

/** A handler whose params have been forgotten. */
export type AnyHandler = (params: never, extra: RequestHandlerExtra) => unknown;

/** A request on its way through the gate. */
export interface ViewRequest {
  readonly context: RequestContext;
  readonly userActive: boolean | undefined;
}

/** What the gate needs of the bridge it guards. */
export interface Guarded {
  readonly upstream: Upstream | undefined;
  readonly options: AppBridgeOptions;
  readonly session: Session;
  readonly context: McpUiHostContext;
  readonly view: AskingView;
  /** What the View introduced itself with. */
  readonly app: McpUiInitializeRequest["params"] | undefined;
  /** After teardown: nothing is served any more. */
  readonly isOver: boolean;
  /** Resolves when the handshake has ended. */
  readonly started: Promise<void>;
  /** Looked up anew for each request, after the policy has spoken. */
  handler(method: string): AnyHandler | undefined;
  initialize(params: McpUiInitializeRequest["params"]): object;
  begin(): void;
  changeContext(changes: McpUiHostContext): void;
  emit(event: string, params: unknown): void;
  notify(method: string, params: object): void;
  report(code: DiagnosticCode, detail: string, cause?: unknown): void;
  /** So many malformed messages that whoever sends them is no mistaken author. */
  onAbuse(): void;
}
