import {
  type Channel,
  LocalError,
  Peer,
  REFUSED,
  type RequestOptions,
  type RpcError,
} from "@vitrine/protocol";
import {
  type AppTypes,
  type CallToolResult,
  type Implementation,
  LATEST_PROTOCOL_VERSION,
  type McpUiAppCapabilities,
  type McpUiDisplayMode,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiInitializeRequest,
  type McpUiInitializeResult,
  STATE_EXTENSION,
} from "@vitrine/protocol/apps";
import { type AppEventMap, EVENTS, KEPT_EVENTS, type Listener, toEvent } from "./app-events.ts";
import { type Ask, type CreateSamplingMessage, METHODS, type Tell } from "./app-methods.ts";
import { observeSize } from "./auto-resize.ts";
import type { AnyHandler, AnyMessage, Handler, RequestHandlerExtra } from "./handlers.ts";
import { hostChannel } from "./host-channel.ts";
import { mergeContext, readCapabilities } from "./host-context.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";
import { createState, type RestorableState, type ViewState } from "./state.ts";
import {
  type AppToolCallback,
  type AppToolConfig,
  createTools,
  type RegisteredAppTool,
} from "./tools.ts";
import type { CallServerTool } from "./typed-app.ts";

/** How an `App` behaves. */
export interface AppOptions {
  /** Report size changes to the Host after connecting; default true. */
  autoResize?: boolean | undefined;
  /** Accepted for the official signature; this SDK never sends before the handshake. */
  strict?: boolean | undefined;
  /** Accepted for the official signature; this SDK never evaluates code. */
  allowUnsafeEval?: boolean | undefined;
}

/** The params that decide, together with the method, whether a request may be sent. */
type GatedParams = { tools?: unknown; mode?: McpUiDisplayMode | "picture-in-picture" };

/**
 * A View's side of MCP Apps: the handshake, the Host's messages, the View's requests.
 * Names and signatures are the official SDK's; `docs/parity.md` lists what differs and why.
 * `App<AppOf<typeof definition>>` has the types of its Server's input and output.
 */
export class App<T extends AppTypes = AppTypes> {
  /** Calls a tool of the server this View came from. */
  declare callServerTool: CallServerTool<T>;
  declare readServerResource: Ask<"resources/read">;
  /** The same as `readServerResource`. */
  declare readResource: Ask<"resources/read">;
  declare listServerResources: Ask<"resources/list", "optional">;
  /** Requests a completion from the Host's model; rejects if the Host doesn't offer it (VEW-15, VEW-16). */
  declare createSamplingMessage: CreateSamplingMessage;
  /** Adds a message to the conversation; `isError` when the Host or its user declines. */
  declare sendMessage: Ask<"ui/message">;
  /** Opens a link outside the View; `isError` when the Host or its user declines. */
  declare openLink: Ask<"ui/open-link">;
  /** The older name of `openLink`. */
  declare sendOpenLink: Ask<"ui/open-link">;
  /** Hands files to the user; `isError` when the Host or its user declines. */
  declare downloadFile: Ask<"ui/download-file">;
  /** Replaces this View's model context for the next turn; `{}` clears it (VEW-07). */
  declare updateModelContext: Ask<"ui/update-model-context">;
  /** Requests a display mode; resolves with the mode in force, which may be another (VEW-05). */
  declare requestDisplayMode: Ask<"ui/request-display-mode">;
  /** Asks the Host to close this View (VEW-14). */
  declare requestTeardown: Tell<"ui/notifications/request-teardown", "optional">;
  declare sendLog: Tell<"notifications/message">;
  declare sendToolListChanged: Tell<"notifications/tools/list_changed", "optional">;
  declare sendSizeChanged: Tell<"ui/notifications/size-changed">;

  // One handler each, in addition to any number of listeners.
  declare ontoolinput: Listener<"toolinput", T> | undefined;
  declare ontoolinputpartial: Listener<"toolinputpartial", T> | undefined;
  declare ontoolresult: Listener<"toolresult", T> | undefined;
  declare ontoolcancelled: Listener<"toolcancelled"> | undefined;
  declare onhostcontextchanged: Listener<"hostcontextchanged"> | undefined;

  /** Runs before the Host removes the View; without it, teardown is answered at once (VEW-13). */
  declare onteardown?: Handler<"ui/resource-teardown"> | undefined;
  /** Answers the Host's `tools/call` in place of the registered tools. */
  declare oncalltool?: Handler<"tools/call"> | undefined;
  /** Answers the Host's `tools/list` in place of the registered tools. */
  declare onlisttools?: Handler<"tools/list"> | undefined;
  declare onclose?: (() => void) | undefined;
  /** Called for errors without a caller to reject. Without it, only errors of listeners are reported. */
  declare onerror?: ((error: Error) => void) | undefined;

  readonly #hello: McpUiInitializeRequest["params"];
  readonly #autoResize: boolean;
  /** The connection itself, for methods beyond the official ones; it does not wait for the handshake. */
  readonly peer: Peer = new Peer({
    keep: KEPT_EVENTS,
    intercept: (method, params) => {
      const event = toEvent(method);
      if (event === "toolresult" || event === "toolcancelled") {
        (this.state as RestorableState).identify((params as CallToolResult)?._meta?.viewUUID);
      }
      if (event === "hostcontextchanged") {
        this.#hostContext = mergeContext(this.#hostContext, params as McpUiHostContext);
      }
      return event;
    },
    // An author without `onerror` must still see the errors of their own listeners.
    onError: (error) => (this.onerror ?? globalThis.reportError)?.(error as Error),
    onClose: () => {
      this.#handshake = undefined;
      this.#stopObserving?.();
      this.onclose?.();
    },
  });
  readonly #tools = createTools(() => {
    if (this.#handshake && this.#hello.appCapabilities.tools?.listChanged) {
      this.sendToolListChanged();
    }
  });
  #handshake: Promise<void> | undefined;
  #stopObserving: (() => void) | undefined;
  #hostCapabilities: McpUiHostCapabilities | undefined;
  #hostInfo: Implementation | undefined;
  #hostContext: McpUiHostContext | undefined;

  /** A value that survives a remount, if the Host or the browser can keep it. */
  readonly state: ViewState = createState((value) => {
    const kept = this.#hostCapabilities?.experimental?.[STATE_EXTENSION];
    if (kept) this.peer.notify(STATE_EXTENSION, { value });
    return kept;
  });

  constructor(
    appInfo: Implementation,
    capabilities: McpUiAppCapabilities = {},
    { autoResize = true }: AppOptions = {},
  ) {
    this.#hello = {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      appInfo,
      // VEW-03: a View that declares nothing supports the mode that every Host has.
      appCapabilities: { availableDisplayModes: ["inline"], ...capabilities },
    };
    this.#autoResize = autoResize;
    for (const event of EVENTS) {
      let current: Listener<typeof event, T>;
      Object.defineProperty(this, `on${event}`, {
        get: () => current,
        set: (handler) => {
          this.removeEventListener(event, current);
          current = handler;
          if (handler) this.addEventListener(event, handler);
        },
      });
    }
    const self = this as Record<string, unknown>;
    for (const [name, method] of Object.entries(METHODS)) {
      self[name] = (params?: object, options?: RequestOptions) =>
        this.#send(method, params, options);
    }
    this.#serve("ping", () => undefined);
    // VEW-13; the second is how early hosts spell it.
    this.#serve("ui/resource-teardown", () => this.onteardown);
    this.#serve("ui/teardown", () => this.onteardown);
    this.#serve("tools/call", () => this.oncalltool ?? this.#tools.call);
    this.#serve("tools/list", () => this.onlisttools ?? this.#tools.list);
  }

  getHostCapabilities(): McpUiHostCapabilities | undefined {
    return this.#hostCapabilities;
  }

  getHostVersion(): Implementation | undefined {
    return this.#hostInfo;
  }

  getHostContext(): McpUiHostContext | undefined {
    return this.#hostContext;
  }

  /** Adds a listener; it also receives what the Host sent before there was a listener (VEW-27). */
  addEventListener<K extends keyof AppEventMap>(event: K, handler: Listener<K, T>): void {
    this.peer.on(event, handler as never);
  }

  removeEventListener<K extends keyof AppEventMap>(event: K, handler: Listener<K, T>): void {
    this.peer.off(event, handler);
  }

  /** Connects to the Host, by default the parent window, and completes the handshake. */
  async connect(transport?: Channel, options?: RequestOptions): Promise<void> {
    if (this.#handshake) throw new LocalError("connected", transport);
    if (!transport && parent === window) throw new LocalError("no-host", location);
    this.peer.connect(transport ?? hostChannel(parent));
    try {
      this.#handshake = this.#initialize(options);
      await this.#handshake;
    } catch (error) {
      this.peer.close();
      throw error;
    }
    // The connection may have closed since the handshake.
    if (this.#autoResize && this.peer.channel) {
      this.#stopObserving = this.setupSizeChangedNotifications();
    }
  }

  async #initialize(options?: RequestOptions): Promise<void> {
    if (this.oncalltool) this.#hello.appCapabilities.tools ??= {};
    const result = await this.peer.request("ui/initialize", this.#hello, options);
    const { hostInfo, hostCapabilities, hostContext } = result as Partial<McpUiInitializeResult>;
    this.#hostInfo = hostInfo;
    this.#hostCapabilities = readCapabilities(hostCapabilities ?? {});
    this.#hostContext = mergeContext({}, hostContext ?? {});
    if (this.#hostCapabilities.experimental?.[STATE_EXTENSION]) {
      (this.state as RestorableState).restore(this.#hostContext[STATE_EXTENSION]);
    }
    this.peer.notify("ui/notifications/initialized");
  }

  /** Ends the connection; pending requests reject. Idempotent. */
  async close(): Promise<void> {
    this.peer.close();
  }

  /** Reports the document's size whenever it changes. Returns a function that stops it. */
  setupSizeChangedNotifications(): () => void {
    const { schedule, stop } = observeSize(
      (size) => this.sendSizeChanged(size),
      () => (this.#hostContext?.containerDimensions as { maxHeight?: number })?.maxHeight,
    );
    const unsubscribe = this.peer.on("hostcontextchanged", schedule);
    return () => {
      unsubscribe();
      stop();
    };
  }

  /** Offers a tool to the Host; register before `connect` to have the capability declared. */
  registerTool<
    OutputArgs extends StandardSchemaV1 | undefined = undefined,
    InputArgs extends StandardSchemaV1 | undefined = undefined,
  >(
    name: string,
    config: AppToolConfig<InputArgs, OutputArgs>,
    callback: AppToolCallback<InputArgs, OutputArgs>,
  ): RegisteredAppTool {
    if (!this.#handshake) this.#hello.appCapabilities.tools ??= { listChanged: true };
    return this.#tools.register(name, config as AppToolConfig, callback as never);
  }

  /** Sends any request, for methods without a function here. */
  request<R = unknown>({ method, params }: AnyMessage, options?: RequestOptions): Promise<R> {
    return this.#send(method, params, options);
  }

  /** Sends any notification. */
  notification({ method, params }: AnyMessage): Promise<void> {
    return this.#send(method, params, undefined, true);
  }

  /** Answers a method of the Host with the current handler; with an empty result if there is none. */
  #serve(method: string, pick: () => AnyHandler | undefined): void {
    this.peer.handle(method, (params, context) => {
      const { _meta } = params as RequestHandlerExtra["mcpReq"];
      const mcpReq = { ...context, _meta, notify: (sent: AnyMessage) => this.notification(sent) };
      return pick()?.(params as never, { mcpReq });
    });
  }

  /** Sends a message to the Host after the handshake (VEW-02); rejects invalid ones before. */
  async #send<R>(
    method: string,
    params: GatedParams = {},
    options?: RequestOptions,
    expectsNothing: boolean = method.includes("notifications/"),
  ): Promise<R> {
    if (typeof params === "string") throw new LocalError("positional", method);
    if (!this.#handshake) throw new LocalError("not-connected", method);
    await this.#handshake;
    if (expectsNothing) return this.peer.notify(method, params) as R;
    const sampling = this.#hostCapabilities?.sampling;
    if (method === METHODS.createSamplingMessage && !(params.tools ? sampling?.tools : sampling)) {
      throw new LocalError("no-sampling", method);
    }
    const modes = this.#hostContext?.availableDisplayModes;
    const asked = todaysMode(params);
    if (method === METHODS.requestDisplayMode && modes && !modes.includes(asked.mode as never)) {
      throw new LocalError("no-mode", asked.mode);
    }
    try {
      // Requesting progress lets a long tool call outlive the timeout.
      const asks = method === METHODS.callServerTool && { onprogress() {} };
      return (await this.peer.request(method, asked, { ...asks, ...options })) as R;
    } catch (error) {
      const { code, message } = error as RpcError;
      // Some hosts decline with an error, others with `isError`: callers get `isError` for both.
      if (code === REFUSED && /^ui\/[omd]/.test(method)) return { isError: true, message } as R;
      throw error;
    }
  }
}

/** The parameters with today's name of a mode; guides still use the older one. */
function todaysMode(params: GatedParams): GatedParams {
  return params.mode === "picture-in-picture" ? { mode: "pip" } : params;
}
