import type { CallToolResult, McpUiDisplayMode, Tool } from "@vitrine/protocol/apps";
import type { AppBridge } from "./bridge/bridge.ts";
import type { Stage } from "./diagnostic.ts";
import type { Upstream } from "./upstreams/upstream.ts";

/** A tool call whose result a view shows. */
export interface AppRequest {
  /** The host's name for this instance, stable over reloads: the id of the message, for example. */
  key: string;
  upstream: Upstream;
  tool: Tool;
  /** The JSON-RPC id of the call, if known. */
  callId?: string | number;
  input?: Record<string, unknown>;
}

/** Data of the tool call that a view shows. */
export interface ToolData {
  /** Before the result or with it; a view that gets a result alone gets an empty input first. */
  input?: Record<string, unknown> | undefined;
  /** The arguments that the model has written so far, completed to an object. */
  partialInput?: Record<string, unknown> | undefined;
  result?: CallToolResult | undefined;
  /** The reason, if the call was cancelled. */
  cancelled?: string | undefined;
}

/** A view that is mounted in the page. `host.mount` returns it. */
export interface HostedView {
  readonly app: AppRequest;
  readonly key: string;
  /** How far the current document has come. */
  readonly stage: Stage;
  /** The bridge to the current document, if there is one. */
  readonly bridge: AppBridge | undefined;
  readonly displayMode: McpUiDisplayMode;
  readonly isClosed: boolean;
  /** Set it if your page shows something of its own in the place of a view that isn't shown. */
  set hasFallback(hasFallback: boolean);
  /** Calls `listener` at each stage. Returns an unsubscribe function. */
  onStage(listener: (stage: Stage) => void): () => void;
  /** Calls `listener` once, when the view is closed for good. Returns an unsubscribe function. */
  onClose(listener: () => void): () => void;
  /** Shows the view in an element. The document survives if the browser can move frames. */
  attach(container: HTMLElement): void;
  /** Removes the view from an element; ignored if the view has moved on to another element. */
  detach(container?: HTMLElement): void;
  /** Sends data of the tool call to the view, now or as soon as it is ready for them. */
  update(data: ToolData): void;
  /** Changes the display mode. Returns the mode in force afterwards (HST-59, HST-60). */
  setDisplayMode(mode: McpUiDisplayMode): McpUiDisplayMode;
  /** Loads the document again and sends it everything again. */
  reload(): Promise<void>;
  /** Ends the document and keeps its space in the page; `resume` loads it again. */
  suspend(reason?: string): Promise<void>;
  resume(): void;
  /** Ends the view. Its record stays in the store. Idempotent. */
  close(reason?: string): Promise<void>;
}
