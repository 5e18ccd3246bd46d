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
import type { AskingView } from "../consent/consent.ts";
import type { McpClientLike } from "../upstreams/mcp-client.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { BridgeNames } from "./bridge-names.ts";
import type { AppBridgeOptions, BridgeErrorCode } from "./bridge-options.ts";
import { BridgeSession } from "./bridge-session.ts";

/**
 * A Host's side of MCP Apps for one View: the handshake, what the View is told and in which order,
 * what it may ask. Names and signatures are the official SDK's, over any of its transports. Unlike
 * there, no request reaches a handler or a Server before policy and consent have let it, in whatever
 * order things were registered, and nothing is sent before the View is ready (HST-42).
 */
export class AppBridge extends BridgeNames {
  /**
   * The connection itself, for methods beyond the official ones: `handle` offers an extension to the
   * View and answers it, behind the same gate as everything else.
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

  /** Whether the View may be spoken to. */
  get initialized(): boolean {
    return this.#session.isInitialized && !this.#session.isOver;
  }

  /** Who the View is: to the Host, and by its own word. */
  get view(): AskingView {
    return this.#session.view;
  }

  /** What the Sandbox granted; to be set before the View starts, where it is known only then. */
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

  /** What the View can ask for at this moment. */
  getCapabilities(): McpUiHostCapabilities {
    return this.#session.capabilities;
  }

  /** Whether the View may be shown in a mode: in any, unless it has declared which (HST-58). */
  canShowIn(mode: string): boolean {
    const declared: readonly string[] | undefined =
      this.getAppCapabilities()?.availableDisplayModes;
    return declared?.includes(mode) ?? true;
  }

  /** Begins to listen; resolves when everything that stands before a handler is in place. */
  async connect(channel: Channel): Promise<void> {
    const { peer, isOver } = this.#session;
    if (peer.channel || isOver) {
      throw new LocalError<BridgeErrorCode>("connected", this.view.key);
    }
    await this.#session.connect(channel);
  }

  /** Ends the connection at once; `teardownResource` is the polite way. Idempotent. */
  async close(): Promise<void> {
    this.#session.end();
    this.peer.close();
  }

  /** Replaces what the View is told of its surroundings; it hears of the keys that changed (HST-55). */
  setHostContext(hostContext: McpUiHostContext): void {
    this.#session.hostContext.set(hostContext);
  }

  /** Changes some of what the View is told of its surroundings. */
  async sendHostContextChange(changes: McpUiHostContext): Promise<void> {
    this.#session.changeContext(changes);
  }

  /** Hands a resource to a Sandbox on the same channel. */
  async sendSandboxResourceReady(
    params: McpUiSandboxResourceReadyNotification["params"],
  ): Promise<void> {
    this.peer.notify("ui/notifications/sandbox-resource-ready", params);
  }

  /**
   * Tells the View that it is about to be removed, and waits for its answer, at most a second
   * (HST-49, HST-51). Resolves whatever the View does; afterwards nothing of it is served.
   */
  async teardownResource(
    params: { reason?: string } = {},
    { timeout = 1000, ...options }: RequestOptions = {},
  ): Promise<Record<string, unknown>> {
    const session = this.#session;
    try {
      // Before `initialized` there is nobody to tell, and nothing may be sent (HST-42).
      if (!session.isInitialized || session.isOver) return {};
      const limits = { timeout, ...options };
      return { ...((await this.peer.request("ui/resource-teardown", params, limits)) as object) };
    } catch {
      // Silence, an error, no such method, nobody there: the View goes all the same.
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

  /** Calls a tool of the View's own. `createAppTools` adds consent, attribution and limits. */
  async callTool(
    params: CallToolRequest["params"],
    options?: RequestOptions,
  ): Promise<CallToolResult> {
    return (await this.#ask("tools/call", params, options)) as CallToolResult;
  }

  /** Lists the View's own tools. */
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
    // HST-94: in all, however often the View reports progress.
    const limits = { timeout: 30_000, resetTimeoutOnProgress: false };
    const answer = await this.peer.request(method, params, { ...limits, ...options });
    const checked = words?.readAnswer(method, answer);
    if (checked?.ok) return checked.value;
    throw new LocalError<BridgeErrorCode>("bad-answer", checked?.reason);
  }
}
