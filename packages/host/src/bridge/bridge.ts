import { type Channel, LocalError, type Peer, type RequestOptions } from "@vitrine/protocol";
import type {
  CallToolRequest,
  CallToolResult,
  Implementation,
  ListToolsRequest,
  ListToolsResult,
  McpUiAppCapabilities,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiSandboxResourceReadyNotification,
} from "@vitrine/protocol/apps";
import type { AskingView, Consent, ViewOwner } from "../consent/consent.ts";
import type { McpClientLike } from "../upstreams/official-client.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { BridgeNames } from "./bridge-names.ts";
import type { AppBridgeOptions, BridgeErrorCode } from "./bridge-options.ts";
import { BridgeSession } from "./bridge-session.ts";

/**
 * The host's side of MCP Apps for one view: the handshake, the order of notifications, the checks of
 * requests. Names and signatures are the official SDK's, over any of its transports. Unlike there, no
 * request reaches a handler or a server before policy and consent allowed it, whatever the order of
 * registration, and nothing is sent before the view is ready (HST-42).
 */
export class AppBridge extends BridgeNames {
  /**
   * The connection itself, for methods beyond the official ones: `handle` offers an extension to the
   * view and answers it, behind the same gate as everything else.
   */
  readonly peer: Peer;
  readonly #session: BridgeSession;

  constructor(
    client: Upstream | McpClientLike | null,
    hostInfo: Implementation,
    hostCapabilities: McpUiHostCapabilities = {},
    options: AppBridgeOptions = {},
  ) {
    super((method, params) => this.#session.tell(method, params));
    const capabilities = hostCapabilities;
    this.#session = new BridgeSession({ names: this, client, hostInfo, capabilities, options });
    this.peer = this.#session.peer;
  }

  /** Whether messages may be sent to the view. */
  get initialized(): boolean {
    return this.#session.isInitialized && !this.#session.isOver;
  }

  /** The view's identity: the host's name for it, and its own claims. */
  get view(): AskingView {
    return this.#session.view;
  }

  /** The user of the view. */
  get owner(): ViewOwner | undefined {
    return this.#session.options.owner;
  }

  /** Decides what the view needs the user's consent for. */
  get consent(): Consent | undefined {
    return this.#session.options.consent;
  }

  /**
   * The permissions that the sandbox granted. Set it before the view starts if it is only known then.
   */
  get sandbox(): McpUiHostCapabilities["sandbox"] | undefined {
    return this.#session.sandbox;
  }

  set sandbox(granted: McpUiHostCapabilities["sandbox"] | undefined) {
    this.#session.sandbox = granted;
  }

  getAppCapabilities(): McpUiAppCapabilities | undefined {
    return this.#session.app?.appCapabilities;
  }

  getAppVersion(): Implementation | undefined {
    return this.#session.app?.appInfo;
  }

  /** The requests that the view can make at this moment. */
  getCapabilities(): McpUiHostCapabilities {
    return this.#session.capabilities;
  }

  /** Whether the view may be shown in a mode: in any, unless it declared its modes (HST-58). */
  canShowIn(mode: string): boolean {
    const declared: readonly string[] | undefined =
      this.getAppCapabilities()?.availableDisplayModes;
    return declared?.includes(mode) ?? true;
  }

  /** Starts to receive messages. Resolves when all checks before handlers are in place. */
  async connect(channel: Channel): Promise<void> {
    const { peer, isOver } = this.#session;
    if (peer.channel || isOver) {
      throw new LocalError<BridgeErrorCode>("connected", this.view.key);
    }
    await this.#session.connect(channel);
  }

  /** Closes the connection at once; `teardownResource` lets the view finish first. Idempotent. */
  async close(): Promise<void> {
    this.#session.end();
    this.peer.close();
  }

  /** Replaces the host context. The view receives the keys that changed (HST-55). */
  setHostContext(hostContext: McpUiHostContext): void {
    this.#session.hostContext.set(hostContext);
  }

  /** Changes part of the host context. */
  async sendHostContextChange(changes: McpUiHostContext): Promise<void> {
    this.#session.changeContext(changes);
  }

  /** Sends a resource to a sandbox on the same channel. */
  async sendSandboxResourceReady(
    params: McpUiSandboxResourceReadyNotification["params"],
  ): Promise<void> {
    this.peer.notify("ui/notifications/sandbox-resource-ready", params);
  }

  /**
   * Notifies the view that it is about to be removed, and waits at most a second for its response
   * (HST-49, HST-51). Always resolves; afterwards nothing of the view is served.
   */
  async teardownResource(
    params: { reason?: string } = {},
    { timeout = 1000, ...options }: RequestOptions = {},
  ): Promise<Record<string, unknown>> {
    const session = this.#session;
    try {
      // Before `initialized` nothing may be sent (HST-42).
      if (!session.isInitialized || session.isOver) return {};
      const limits = { timeout, ...options };
      return { ...((await this.peer.request("ui/resource-teardown", params, limits)) as object) };
    } catch {
      // No response, an error, an unknown method or a closed channel: the view is removed anyway.
      return {};
    } finally {
      session.end();
    }
  }

  /** The older name of `teardownResource`. */
  sendResourceTeardown(
    params?: { reason?: string },
    options?: RequestOptions,
  ): Promise<Record<string, unknown>> {
    return this.teardownResource(params, options);
  }

  /** Calls a tool that the view offers. `createAppTools` adds consent, attribution and limits. */
  async callTool(
    params: CallToolRequest["params"],
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    return (await this.#ask("tools/call", params, options)) as CallToolResult;
  }

  /** Lists the tools that the view offers. */
  async listTools(
    params: ListToolsRequest["params"] = {},
    options?: RequestOptions,
  ): Promise<ListToolsResult> {
    return (await this.#ask("tools/list", params, options)) as ListToolsResult;
  }

  async #ask(method: string, params: object, options?: RequestOptions): Promise<unknown> {
    const { isInitialized, isOver, app, words } = this.#session;
    if (!isInitialized || isOver || !app?.appCapabilities.tools) {
      throw new LocalError<BridgeErrorCode>("no-app-tools", app?.appInfo.name);
    }
    // HST-94: in total, however often the view reports progress.
    const limits = { timeout: 30_000, resetTimeoutOnProgress: false };
    const answer = await this.peer.request(method, params, { ...limits, ...options });
    const checked = words?.readAnswer(method, answer);
    if (checked?.ok) return checked.value;
    throw new LocalError<BridgeErrorCode>("bad-answer", checked?.reason);
  }
}
