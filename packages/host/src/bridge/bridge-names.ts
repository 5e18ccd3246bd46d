// The official names of `AppBridge` and what each is on the wire: handlers, events, notifications.

import type {
  HostNotifications,
  LoggingMessageNotification,
  McpUiInitializeRequest,
  ViewRequests,
} from "@vitrine/protocol/apps";
import type { RequestHandlerExtra } from "../gate/guarded.ts";

/** What a View tells its Host, by the official event names and one of ours. */
export type AppBridgeEventMap = {
  sizechange: { width?: number; height?: number };
  sandboxready: {};
  initialized: {};
  requestteardown: {};
  loggingmessage: LoggingMessageNotification["params"];
  /** The View's own tools changed. */
  toollistchanged: {};
};

/** Listens to one event. */
export type BridgeListener<K extends keyof AppBridgeEventMap> = (
  params: AppBridgeEventMap[K],
) => void;

/** Answers a request of a View. It runs after policy and consent, whenever it was set. */
export type RequestHandler<M extends keyof ViewRequests> = (
  params: ViewRequests[M]["params"],
  extra: RequestHandlerExtra,
) => ViewRequests[M]["result"] | Promise<ViewRequests[M]["result"]>;

/** Tells a View something, as soon as it may be told. */
export type Tell<M extends keyof HostNotifications> = (
  params: HostNotifications[M],
) => Promise<void>;
/** The same, where there is nothing to say but that it happened. */
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

/** The handler property for each method; a map, because methods are the View's to name. */
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

/** What is set and called by name on a bridge; the bridge itself gives it its meaning. */
export class BridgeNames {
  // One handler each, beside any number of listeners.
  declare onsizechange: BridgeListener<"sizechange"> | undefined;
  declare onsandboxready: BridgeListener<"sandboxready"> | undefined;
  declare oninitialized: BridgeListener<"initialized"> | undefined;
  declare onrequestteardown: BridgeListener<"requestteardown"> | undefined;
  declare onloggingmessage: BridgeListener<"loggingmessage"> | undefined;
  declare ontoollistchanged: BridgeListener<"toollistchanged"> | undefined;

  // What is set is offered to the View; what is not is left to its Server, where that has it.
  declare onping?: RequestHandler<"ping"> | undefined;
  declare onmessage?: RequestHandler<"ui/message"> | undefined;
  declare onopenlink?: RequestHandler<"ui/open-link"> | undefined;
  declare ondownloadfile?: RequestHandler<"ui/download-file"> | undefined;
  declare onrequestdisplaymode?: RequestHandler<"ui/request-display-mode"> | undefined;
  declare onupdatemodelcontext?: RequestHandler<"ui/update-model-context"> | undefined;
  declare oncalltool?: RequestHandler<"tools/call"> | undefined;
  /** Says which tools there are, to the View and to the policy alike. */
  declare onlisttools?: RequestHandler<"tools/list"> | undefined;
  declare oncreatesamplingmessage?: RequestHandler<"sampling/createMessage"> | undefined;
  declare onlistresources?: RequestHandler<"resources/list"> | undefined;
  declare onlistresourcetemplates?: RequestHandler<"resources/templates/list"> | undefined;
  declare onreadresource?: RequestHandler<"resources/read"> | undefined;
  declare onlistprompts?: RequestHandler<"prompts/list"> | undefined;

  /** Hears the View introduce itself, before it is answered. */
  declare oninitialize?: ((params: McpUiInitializeRequest["params"]) => void) | undefined;
  /** Keeps what the View wants back in its next life; to set it is to offer it. */
  declare onstate?: ((value: unknown) => void) | undefined;
  declare onclose?: (() => void) | undefined;

  /** Once, and before any result (HST-44). */
  declare sendToolInput: Tell<"ui/notifications/tool-input">;
  /** The newest for each frame reaches the View, until the input has (HST-46). */
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

  /** Who listens to an event now. */
  listeners(event: string): Set<(params: never) => void> {
    return this.#listeners.get(event) ?? new Set();
  }
}
