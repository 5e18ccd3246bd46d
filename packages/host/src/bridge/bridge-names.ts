// The official names of `AppBridge` and their methods on the wire: handlers, events, notifications.

import type {
  HostNotifications,
  LoggingMessageNotification,
  McpUiInitializeRequest,
  ViewRequests,
} from "@vitrine/protocol/apps";
import type { RequestHandlerExtra } from "../gate/guarded.ts";

/** Notifications of a view to its host, by the official event names and one extra. */
export type AppBridgeEventMap = {
  sizechange: { width?: number; height?: number };
  sandboxready: {};
  initialized: {};
  requestteardown: {};
  loggingmessage: LoggingMessageNotification["params"];
  /** The View's own tools changed. */
  toollistchanged: {};
};

/** Subscribes to one event. */
export type BridgeListener<K extends keyof AppBridgeEventMap> = (
  params: AppBridgeEventMap[K],
) => void;

/** Handles a view's request. It runs after policy and consent, no matter when it was set. */
export type RequestHandler<M extends keyof ViewRequests> = (
  params: ViewRequests[M]["params"],
  extra: RequestHandlerExtra,
) => ViewRequests[M]["result"] | Promise<ViewRequests[M]["result"]>;

/** Sends a notification to the view as soon as it may receive one. */
export type Tell<M extends keyof HostNotifications> = (
  params: HostNotifications[M],
) => Promise<void>;
/** The same, for notifications without parameters. */
export type TellChange = (params?: {}) => Promise<void>;

const EVENTS: ReadonlyArray<keyof AppBridgeEventMap> = [
  "sizechange",
  "sandboxready",
  "initialized",
  "requestteardown",
  "loggingmessage",
  "toollistchanged",
];

const PROPERTIES: Record<Exclude<keyof ViewRequests, "ui/initialize">, keyof BridgeNames> = {
  ping: "onping",
  "ui/message": "onmessage",
  "ui/open-link": "onopenlink",
  "ui/download-file": "ondownloadfile",
  "ui/request-display-mode": "onrequestdisplaymode",
  "ui/update-model-context": "onupdatemodelcontext",
  "tools/call": "oncalltool",
  "tools/list": "onlisttools",
  "sampling/createMessage": "oncreatesamplingmessage",
  "resources/list": "onlistresources",
  "resources/templates/list": "onlistresourcetemplates",
  "resources/read": "onreadresource",
  "prompts/list": "onlistprompts",
};

/** The handler property for each method; a map, because a view chooses the method name. */
export const HANDLERS: ReadonlyMap<string, keyof BridgeNames> = new Map(Object.entries(PROPERTIES));

const SENDERS: Readonly<Record<string, keyof HostNotifications>> = {
  sendToolInput: "ui/notifications/tool-input",
  sendToolInputPartial: "ui/notifications/tool-input-partial",
  sendToolResult: "ui/notifications/tool-result",
  sendToolCancelled: "ui/notifications/tool-cancelled",
  sendToolListChanged: "notifications/tools/list_changed",
  sendResourceListChanged: "notifications/resources/list_changed",
  sendPromptListChanged: "notifications/prompts/list_changed",
};

/** The named handlers and methods of a bridge; the bridge itself implements them. */
export class BridgeNames {
  // One handler each, in addition to any number of listeners.
  declare onsizechange: BridgeListener<"sizechange"> | undefined;
  declare onsandboxready: BridgeListener<"sandboxready"> | undefined;
  declare oninitialized: BridgeListener<"initialized"> | undefined;
  declare onrequestteardown: BridgeListener<"requestteardown"> | undefined;
  declare onloggingmessage: BridgeListener<"loggingmessage"> | undefined;
  declare ontoollistchanged: BridgeListener<"toollistchanged"> | undefined;

  // A handler that is set is offered to the view; otherwise the request goes to its server, if that
  // supports it.
  declare onping?: RequestHandler<"ping"> | undefined;
  declare onmessage?: RequestHandler<"ui/message"> | undefined;
  declare onopenlink?: RequestHandler<"ui/open-link"> | undefined;
  declare ondownloadfile?: RequestHandler<"ui/download-file"> | undefined;
  declare onrequestdisplaymode?: RequestHandler<"ui/request-display-mode"> | undefined;
  declare onupdatemodelcontext?: RequestHandler<"ui/update-model-context"> | undefined;
  declare oncalltool?: RequestHandler<"tools/call"> | undefined;
  /** Lists the tools, for the view and for the policy. */
  declare onlisttools?: RequestHandler<"tools/list"> | undefined;
  declare oncreatesamplingmessage?: RequestHandler<"sampling/createMessage"> | undefined;
  declare onlistresources?: RequestHandler<"resources/list"> | undefined;
  declare onlistresourcetemplates?: RequestHandler<"resources/templates/list"> | undefined;
  declare onreadresource?: RequestHandler<"resources/read"> | undefined;
  declare onlistprompts?: RequestHandler<"prompts/list"> | undefined;

  /** Called when the view introduces itself, before the response is sent. */
  declare oninitialize?: ((params: McpUiInitializeRequest["params"]) => void) | undefined;
  /** Stores the state that the view wants to restore later; setting it offers the feature. */
  declare onstate?: ((value: unknown) => void) | undefined;
  declare onclose?: (() => void) | undefined;

  /** Once, and before any result (HST-44). */
  declare sendToolInput: Tell<"ui/notifications/tool-input">;
  /** The newest one per frame reaches the view, until the input has (HST-46). */
  declare sendToolInputPartial: Tell<"ui/notifications/tool-input-partial">;
  /** Waits for the input. */
  declare sendToolResult: Tell<"ui/notifications/tool-result">;
  declare sendToolCancelled: Tell<"ui/notifications/tool-cancelled">;
  declare sendToolListChanged: TellChange;
  declare sendResourceListChanged: TellChange;
  declare sendPromptListChanged: TellChange;

  readonly #listeners = new Map<string, Set<(params: never) => void>>();

  constructor(tell: (method: string, params: object) => void) {
    for (const event of EVENTS) {
      let current: BridgeListener<typeof event> | undefined;
      Object.defineProperty(this, `on${event}`, {
        get: () => current,
        set: (listener) => {
          if (current) this.removeEventListener(event, current);
          current = listener;
          if (listener) this.addEventListener(event, listener);
        },
      });
    }
    for (const [name, method] of Object.entries(SENDERS)) {
      const send = async (params: object = {}): Promise<void> => tell(method, params);
      (this as Record<string, unknown>)[name] = send;
    }
  }

  addEventListener<K extends keyof AppBridgeEventMap>(event: K, listener: BridgeListener<K>): void {
    this.#listeners.set(event, this.listeners(event).add(listener));
  }

  removeEventListener<K extends keyof AppBridgeEventMap>(
    event: K,
    listener: BridgeListener<K>,
  ): void {
    this.#listeners.get(event)?.delete(listener);
  }

  /** The current listeners of an event. */
  listeners(event: string): Set<(params: never) => void> {
    return this.#listeners.get(event) ?? new Set();
  }
}
