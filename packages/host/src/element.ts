// `<mcp-app>`: a view in a page, set by properties. The React, Vue and Svelte components wrap this
// element, because only an element is notified when it is moved: a framework that reorders its nodes
// doesn't notify its components, and the frame inside would silently die.

import type { Diagnostic, Stage } from "./diagnostic.ts";
import type { AppRequest, ToolData } from "./hosted-view.ts";

/** The part of a `HostedView` that the element uses. */
export interface ShownView {
  readonly stage: Stage;
  update(data: ToolData): void;
  detach(container?: HTMLElement): void;
  /** Loads the document again. */
  reload(): Promise<void>;
  set hasFallback(hasFallback: boolean);
  onStage(listener: (stage: Stage) => void): () => void;
  onClose(listener: () => void): () => void;
}

/** The part of a `Host` or a `Conversation` that the element uses. */
export interface ShowingHost {
  /** The conversation's id; a host has none. */
  readonly id?: string;
  mount(container: HTMLElement, app: AppRequest): ShownView;
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
}

/**
 * The properties of `<mcp-app>` and its framework components. Data may arrive later, in any order,
 * and stay the same.
 */
export interface McpAppProperties extends ToolData {
  host?: ShowingHost | undefined;
  /**
   * The view to show. Another `key` is another view; other fields are read when it is first shown.
   */
  app?: AppRequest | undefined;
}

/** Names of the properties, for components that copy them. */
export const MCP_APP_PROPERTIES: readonly (keyof McpAppProperties)[] = [
  "host",
  "app",
  "input",
  "partialInput",
  "result",
  "cancelled",
];

// Components are also imported on servers, where nothing is shown.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * Shows a view while it is in the page. Elements with `slot="fallback"` are visible until the view is
 * shown, and again when it is gone; they replace the host's own card about a failure. Dispatches
 * `diagnostic` and `stage`, with the `Diagnostic` and the `Stage` as detail.
 */
export class McpAppElement extends Base implements McpAppProperties {
  declare host: ShowingHost | undefined;
  declare app: AppRequest | undefined;
  declare input: ToolData["input"];
  declare partialInput: ToolData["partialInput"];
  declare result: ToolData["result"];
  declare cancelled: ToolData["cancelled"];

  readonly #values: McpAppProperties = {};
  readonly #place = document.createElement("div");
  readonly #fallback = document.createElement("slot");
  // The current view, and the data it has received.
  #view: ShownView | undefined;
  #shown: McpAppProperties = {};
  #undo: (() => void)[] = [];
  #isDetached = false;
  #isDue = false;

  static {
    for (const name of MCP_APP_PROPERTIES) {
      Object.defineProperty(McpAppElement.prototype, name, {
        get(this: McpAppElement) {
          return this.#values[name];
        },
        set(this: McpAppElement, value: never) {
          this.#values[name] = value;
          this.#schedule();
        },
        configurable: true,
        enumerable: true,
      });
    }
  }

  constructor() {
    super();
    // Closed and separate from the page's own children, so that removing those doesn't remove the
    // view.
    const root = this.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":host{display:block}:host([hidden]),[hidden]{display:none}");
    root.adoptedStyleSheets = [sheet];
    this.#fallback.name = "fallback";
    this.#fallback.addEventListener("slotchange", () => this.#announceFallback());
    root.append(this.#place, this.#fallback);
    // Properties that were set before the element was defined hide ours.
    for (const name of MCP_APP_PROPERTIES) {
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        delete this[name];
        Object.assign(this, { [name]: value });
      }
    }
  }

  /** The view, while one is shown. */
  get view(): ShownView | undefined {
    return this.#view;
  }

  connectedCallback(): void {
    this.#schedule();
  }

  disconnectedCallback(): void {
    this.#leave();
  }

  /** `moveBefore` keeps the frame alive; without this method browsers would call the other two. */
  connectedMoveCallback(): void {}

  /**
   * Announces that this element is about to be removed, so that its view can survive for a while and
   * be shown elsewhere. Once the element is removed, its document is gone.
   */
  detach(): void {
    this.#isDetached = true;
    this.#leave();
  }

  /** Undoes `detach`. */
  attach(): void {
    this.#isDetached = false;
    this.#schedule();
  }

  /** Runs once for all properties that are set together, and for a framework that mounts twice. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#show();
    });
  }

  #show(): void {
    const { host, app, ...data } = this.#values;
    const { host: shownHost, app: shownApp } = this.#shown;
    if (host !== shownHost || app?.key !== shownApp?.key) this.#leave();
    if (!host || !app || !this.isConnected || this.#isDetached) return;
    this.#view ??= this.#mount(host, app);
    const told = this.#shown;
    this.#shown = { ...this.#values, host, app };
    // Each value once: a component renders the same data repeatedly.
    const changes = Object.entries(data).filter(
      ([name, value]) => value !== undefined && value !== told[name as keyof ToolData],
    );
    if (changes.length > 0) this.#view.update(Object.fromEntries(changes));
  }

  #mount(host: ShowingHost, app: AppRequest): ShownView {
    const { key } = app;
    const tell = (diagnostic: Diagnostic): void => {
      if (diagnostic.view === key && diagnostic.conversation === host.id) {
        this.dispatchEvent(new CustomEvent("diagnostic", { detail: diagnostic }));
        // Later, when the view's former area is protected against presses that were meant for it.
        if (diagnostic.level === "error") queueMicrotask(() => follow());
      }
    };
    // First, because a view that can't be shown at all reports it immediately.
    this.#undo = [host.onDiagnostic(tell)];
    const follow = (stage?: Stage): void => {
      this.#fallback.hidden = stage === "initialized" || stage === "shown";
    };
    const view = host.mount(this.#place, app);
    this.#undo.push(
      view.onStage((stage) => {
        follow(stage);
        this.dispatchEvent(new CustomEvent("stage", { detail: stage }));
      }),
      view.onClose(() => follow()),
    );
    follow(view.stage);
    this.#announceFallback(view);
    return view;
  }

  #announceFallback(view: ShownView | undefined = this.#view): void {
    if (view) view.hasFallback = this.#fallback.assignedElements().length > 0;
  }

  #leave(): void {
    const view = this.#view;
    this.#view = undefined;
    this.#shown = {};
    for (const undo of this.#undo.splice(0)) undo();
    this.#fallback.hidden = false;
    // Another element may show the view by now, so it must not be detached there.
    view?.detach(this.#place);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "mcp-app": McpAppElement;
  }
}

const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (!registry?.get("mcp-app")) registry?.define("mcp-app", McpAppElement);
