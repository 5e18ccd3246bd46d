import { Peer, REFUSED, type RequestContext, RpcError } from "@vitrine/protocol";
import type {
  Implementation,
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiInitializeRequest,
  Session,
  STATE_EXTENSION,
} from "@vitrine/protocol/apps";
import type { AskingView } from "../consent/consent.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { AnyHandler, Guarded } from "../gate/guarded.ts";
import type { RequestGate } from "../gate/request-gate.ts";
import type { McpClientLike } from "../upstreams/official-client.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { attendedChannel } from "./attended-channel.ts";
import { type BridgeNames, HANDLERS } from "./bridge-names.ts";
import type { AppBridgeOptions } from "./bridge-options.ts";
import { deriveCapabilities } from "./capabilities.ts";
import { createHostContext, type ToldContext } from "./host-context.ts";
import { createToolData, type ToolDataFeed } from "./tool-data.ts";
import type { ViewChannel } from "./view-channel.ts";

// Written as text here and in the neighbouring files: the constants would load all of
// `protocol/apps`, which loads with the gate.
const STATE: typeof STATE_EXTENSION = "vitrine/state";

/** The parts of a session. */
export interface SessionParts {
  /** Handlers and listeners are looked up here at the moment they are needed. */
  names: BridgeNames;
  client: Upstream | McpClientLike | null;
  hostInfo: Implementation;
  capabilities: McpUiHostCapabilities;
  options: AppBridgeOptions;
}

/**
 * One view's session, from its introduction to its end. The gate that checks messages is loaded
 * separately; messages that arrive earlier wait, and without the gate none is ever served.
 */
export class BridgeSession implements Guarded {
  readonly peer: Peer = new Peer({
    intercept: (method, params) => this.#receive(method, params),
    // Handlers and listeners have their own guards, so the remaining errors come from a message.
    onError: (error) => this.#gate?.malformed(`${error}`),
    onClose: () => {
      this.end();
      this.#guard("close", () => this.#names.onclose?.());
    },
  });
  readonly hostContext: ToldContext = createHostContext({}, (changes) => {
    const shown = this.words?.presentContext(changes, this.#leftOut) ?? {};
    if (Object.keys(shown).length > 0) this.notify("ui/notifications/host-context-changed", shown);
  });
  readonly toolData: ToolDataFeed = createToolData({
    send: (method, params) => {
      const shown = this.words?.presentToolData(method, params, this.#leftOut);
      if (shown) this.notify(method, shown);
    },
    onLate: (method) => this.report("order", `${method} was called twice, or too late`),
  });
  readonly options: AppBridgeOptions;
  /** Resolves when the gate is loaded. */
  readonly opening: Promise<void>;
  readonly started: Promise<void>;
  upstream: Upstream | undefined;
  words: typeof import("../gate/request-gate.ts") | undefined;
  app: McpUiInitializeRequest["params"] | undefined;
  sandbox: McpUiHostCapabilities["sandbox"] | undefined;
  isInitialized = false;
  isOver = false;
  readonly #names: BridgeNames;
  readonly #hostInfo: Implementation;
  readonly #given: McpUiHostCapabilities;
  readonly #extensions = new Map<string, AnyHandler>();
  readonly #early = new Set<string>();
  readonly #reported = new Set<string>();
  #gate: RequestGate | undefined;
  #channel: ViewChannel | undefined;
  #answered: Promise<unknown> | undefined;
  #state: unknown;
  #start: (() => void) | undefined;
  #undo: (() => void) | undefined;

  constructor({ names, client, hostInfo, capabilities, options }: SessionParts) {
    this.#names = names;
    this.#hostInfo = hostInfo;
    this.#given = capabilities;
    this.#state = options.state;
    this.options = options;
    this.sandbox = options.sandbox;
    this.hostContext.set(options.hostContext ?? {});
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.peer.handle("*", (params, context) => this.#serve(params, context));
    // From now on, every handler is behind the gate.
    this.peer.handle = (method, handler) => {
      this.#extensions.set(method, (params, { mcpReq }) => handler(params, mcpReq));
    };
    this.opening = this.#open(client);
    this.opening.catch(() => {});
  }

  get session(): Session {
    return {
      initialized: this.isInitialized,
      hostCapabilities: this.capabilities,
      ...(this.app && { appCapabilities: this.app.appCapabilities }),
    };
  }

  /** The requests that the view can make at this moment. */
  get capabilities(): McpUiHostCapabilities {
    const extensions = [...this.#extensions.keys()].filter((method) => !HANDLERS.has(method));
    if (this.#names.onstate) extensions.push(STATE);
    return deriveCapabilities({
      given: this.sandbox ? { ...this.#given, sandbox: this.sandbox } : this.#given,
      handles: (method) =>
        method === "notifications/message"
          ? this.#names.listeners("loggingmessage").size > 0
          : !!this.handler(method),
      server: this.upstream?.capabilities ?? {},
      extensions,
    });
  }

  get context(): McpUiHostContext {
    return this.hostContext.current;
  }

  get view(): AskingView {
    const server = this.upstream?.server ?? "";
    return {
      key: "",
      server,
      ...this.options.view,
      ...(this.app && { appInfo: this.app.appInfo }),
    };
  }

  async connect(channel: ViewChannel): Promise<void> {
    this.#channel = channel;
    const { onTraffic } = this.options;
    this.peer.connect(
      attendedChannel(channel, (from, message) =>
        this.#guard("traffic", () => onTraffic?.(from, message)),
      ),
    );
    await this.opening;
    if (this.isOver) return;
    this.#undo = this.upstream?.onListChanged((list) =>
      this.tell(`notifications/${list}/list_changed`, {}),
    );
  }

  handler(method: string): AnyHandler | undefined {
    const named = this.#names as unknown as Record<string, AnyHandler | undefined>;
    return this.#extensions.get(method) ?? named[HANDLERS.get(method) ?? ""];
  }

  initialize(params: McpUiInitializeRequest["params"]): object {
    // A view introduces itself once. A page that mounts a component again may repeat the same
    // introduction; with another name it would act on the permissions that the user gave this one.
    if (this.app && JSON.stringify(this.app) !== JSON.stringify(params)) {
      throw new RpcError(REFUSED, "The view has already introduced itself, with other data.");
    }
    this.app = params;
    this.#guard("initialize", () => this.#names.oninitialize?.(params));
    const state = this.#state === undefined ? {} : { [STATE]: this.#state };
    const hello = {
      protocolVersion: params.protocolVersion,
      hostInfo: this.#hostInfo,
      hostCapabilities: this.capabilities,
      hostContext: { ...this.hostContext.tellAll(), ...state },
    };
    return this.words?.presentHello(hello, this.#leftOut) ?? hello;
  }

  begin(): void {
    // Some views don't wait for the response to `ui/initialize`; it is still sent first.
    const answered = Promise.resolve(this.#answered).catch(() => {});
    void answered.then(() => {
      if (!this.app || this.isInitialized || this.isOver) return;
      this.isInitialized = true;
      this.hostContext.start();
      this.toolData.start();
      for (const method of this.#early) this.tell(method, {});
      this.#start?.();
      this.emit("initialized", {});
    });
  }

  changeContext(changes: McpUiHostContext): void {
    this.hostContext.set({ ...this.context, ...changes });
  }

  /** Sends a message as soon as the view may receive it (HST-42). */
  tell(method: string, params: object): void {
    if (method.startsWith("ui/")) this.toolData.tell(method, params);
    else if (!this.isInitialized) this.#early.add(method);
    else {
      const { serverTools, serverResources } = this.capabilities;
      const list = method.includes("/tools/") ? serverTools : serverResources;
      // Only views that were promised change notifications get them.
      if (method.includes("/prompts/") || list?.listChanged) this.notify(method, params);
    }
  }

  notify(method: string, params: object): void {
    if (!this.isOver) this.#guard(method, () => this.peer.notify(method, params));
  }

  emit(event: string, params: unknown): void {
    if (event === "state") {
      this.#state = params;
      this.#guard(event, () => this.#names.onstate?.(params));
    }
    for (const listener of [...this.#names.listeners(event)]) {
      this.#guard(event, () => listener(params as never));
    }
  }

  report(code: DiagnosticCode, detail: string, cause?: unknown): void {
    const level = code === "compatibility" ? "info" : "warning";
    // Reported once, even if the view does it in every message.
    if (level === "info" && this.#reported.has(detail)) return;
    if (level === "info") this.#reported.add(detail);
    try {
      this.options.onDiagnostic?.({ level, code, detail, ...(cause !== undefined && { cause }) });
    } catch {
      // The error handler itself failed, so there is nothing left to notify.
    }
  }

  onAbuse(): void {
    this.#guard("abuse", () => this.options.onAbuse?.());
  }

  /** Stops sending and serving; the channel may stay open a little longer. */
  end(): void {
    this.#gate?.stop();
    this.toolData.stop();
    this.#undo?.();
    this.#undo = undefined;
    this.isOver = true;
  }

  async #open(client: Upstream | McpClientLike | null): Promise<void> {
    const words = await import("../gate/request-gate.ts");
    if (client) this.upstream = await toUpstream(client, this.options.view?.server);
    this.words = words;
    this.#gate = words.createGate(this);
  }

  #serve(params: unknown, context: RequestContext): Promise<unknown> {
    // Now, because it concerns the message that is being delivered.
    const userActive = this.#channel?.userActive;
    const answer = this.opening.then(() => this.#gate?.serve(params, { context, userActive }));
    if (context.method === "ui/initialize") this.#answered = answer;
    return answer;
  }

  #receive(method: string, params: unknown): string {
    if (this.#gate) return this.#gate.receive(method, params);
    const later = (): unknown => this.#gate?.receive(method, params);
    this.opening.then(later, () => {});
    return "";
  }

  #guard(name: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.report("listener", name, error);
    }
  }

  readonly #leftOut = (what: string): void => this.report("left-out", what);
}

async function toUpstream(client: Upstream | McpClientLike, server = "server"): Promise<Upstream> {
  if ("onListChanged" in client) return client;
  const { mcpClientUpstream } = await import("../upstreams/mcp-client.ts");
  return mcpClientUpstream(client, { server });
}
