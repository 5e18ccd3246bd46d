// The checks of the development build, without cost for production: the App is unchanged, and its
// channel is wrapped in one that observes messages and never changes them.

import { type Channel, LocalError } from "@vitrine/protocol";
import type { McpUiAppCapabilities } from "@vitrine/protocol/apps";
import { App } from "./app.ts";
import { toEvent } from "./app-events.ts";
import { hostChannel } from "./host-channel.ts";

/** Warnings: code that works now but may fail in other Hosts. Only the development build reports them. */
export type InspectionCode =
  | "undeclared-mode" // a requested display mode that the View didn't declare (VEW-03)
  | "undeclared-tools"; // a tool registered after connect() by a View that declared none

/** The members of a message that are read; all hostile, so `#guard` wraps every access. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { hostContext?: Context; mode?: string; appCapabilities?: McpUiAppCapabilities };
  result?: { hostCapabilities?: { tools?: object; resources?: object }; hostContext?: Context };
}
type Context = { style?: object };
type Report = (code: InspectionCode | "old-spelling", about: string) => void;

// Without a prototype: a message may be called "constructor".
const TODAY: Record<string, string> = {
  __proto__: null as never,
  toolinput: "ui/notifications/tool-input",
  toolinputpartial: "ui/notifications/tool-input-partial",
  toolresult: "ui/notifications/tool-result",
  toolcancelled: "ui/notifications/tool-cancelled",
  hostcontextchanged: "ui/notifications/host-context-changed",
};

/** Checks one App's messages and reports each finding once. */
class Inspection {
  readonly #report: Report;
  #hello: unknown;
  #declared: McpUiAppCapabilities | undefined;

  constructor(app: App) {
    const said = new Set<string>();
    this.#report = (code, about) => {
      if (said.has(code + about)) return;
      said.add(code + about);
      // Later, because a handler that throws must not keep the message from the App.
      queueMicrotask(() => (app.onerror ?? globalThis.reportError)?.(new LocalError(code, about)));
    };
  }

  /** Wraps the App's channel. */
  wrap(channel: Channel): Channel {
    const wrapped: Channel = {
      start: () => {
        channel.onmessage = (message) => {
          this.#guard(() => this.#received(parse(message)));
          wrapped.onmessage?.(message);
        };
        channel.onclose = () => wrapped.onclose?.();
        return channel.start?.();
      },
      send: (message) => {
        this.#guard(() => this.#sent(message as Message));
        return channel.send(message);
      },
      close: () => channel.close(),
    };
    return wrapped;
  }

  registered(tool: string): void {
    if (this.#declared && !this.#declared.tools) this.#report("undeclared-tools", tool);
  }

  #sent({ id, method, params }: Message): void {
    if (method === "ui/initialize") {
      this.#hello = id;
      this.#declared = structuredClone(params?.appCapabilities);
    }
    const mode = method === "ui/request-display-mode" && params?.mode;
    const declared: readonly string[] = this.#declared?.availableDisplayModes ?? [];
    if (mode && !declared.includes(mode)) this.#report("undeclared-mode", mode);
  }

  #received({ id, method, params, result }: Message): void {
    if (typeof method === "string") this.#named(method, params);
    else if (id === this.#hello) this.#greeted(result);
  }

  #named(method: string, params: Message["params"]): void {
    const event = toEvent(method);
    const today = method === "ui/teardown" ? "ui/resource-teardown" : TODAY[event];
    if (today && today !== method) this.#old(method, today);
    if (event !== "hostcontextchanged") return;
    if (params?.hostContext) this.#old("params.hostContext", "params");
    this.#context({ ...params, ...params?.hostContext });
  }

  #greeted(result: Message["result"]): void {
    const { tools, resources } = result?.hostCapabilities ?? {};
    if (tools) this.#old("hostCapabilities.tools", "hostCapabilities.serverTools");
    if (resources) this.#old("hostCapabilities.resources", "hostCapabilities.serverResources");
    this.#context(result?.hostContext);
  }

  #context(context: Context | undefined): void {
    if (context?.style) this.#old("hostContext.style", "hostContext.styles");
  }

  #old(spelling: string, today: string): void {
    this.#report("old-spelling", `"${spelling}" for "${today}"`);
  }

  #guard(look: () => void): void {
    try {
      look();
    } catch {
      // Not a message we can read; the App handles it.
    }
  }
}

// Some hosts send text, which the App reads too.
function parse(message: unknown): Message {
  return typeof message === "string" ? JSON.parse(message) : (message as Message);
}

/** Inspects every App created from now on, by a page or by a hook such as `useApp`. */
export function inspectApps(): void {
  const inspections = new WeakMap<App, Inspection>();
  const { connect, registerTool } = App.prototype;
  App.prototype.connect = function (transport, options) {
    const inspection = inspections.get(this) ?? new Inspection(this);
    inspections.set(this, inspection);
    // Outside a frame there is nothing to wrap, and the App throws.
    const channel = transport ?? (parent === window ? undefined : hostChannel(parent));
    return connect.call(this, channel && inspection.wrap(channel), options);
  };
  App.prototype.registerTool = function (this: App, ...args: unknown[]) {
    if (this.peer.channel) inspections.get(this)?.registered(`${args[0]}`);
    return registerTool.apply(this, args as never);
  } as never;
}
