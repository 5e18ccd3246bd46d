// `<mcp-app>`: a View in a page, by properties. The React, Vue and Svelte skins are this element with
// their framework's words, because only an element learns that somebody moves it about: a framework
// that reorders its nodes tells no component, and the frame inside would be dead without a trace.

import type { Diagnostic, Stage } from "./diagnostic.ts";
import type { AppRequest } from "./host.ts";
import type { ToolData } from "./hosted-view.ts";

/** The View that an element shows, as far as the element cares; a `HostedView`. */
export interface ShownView {
  readonly stage: Stage;
  update(data: ToolData): void;
  detach(container?: HTMLElement): void;
  onStage(listener: (stage: Stage) => void): () => void;
  onClose(listener: () => void): () => void;
}

/** Who shows Views; a `Host`. */
export interface ShowingHost {
  mount(container: HTMLElement, app: AppRequest): ShownView;
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
}

/** What `<mcp-app>` and every skin take. Data may come later, in any order, and stay the same. */
export interface McpAppProperties extends ToolData {
  host?: ShowingHost | undefined;
  /** Which View; another `key` is another View, anything else is read when it is first shown. */
  app?: AppRequest | undefined;
}

/** Names of the properties, for skins that copy them. */
export const MCP_APP_PROPERTIES: readonly (keyof McpAppProperties)[] = [
  "host",
  "app",
  "input",
  "partialInput",
  "result",
  "cancelled",
];

// Skins are imported on servers, too, where nothing is shown.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * Shows a View while it is in the page. Elements with `slot="fallback"` are seen until the View is,
 * and again when it has gone. Dispatches `diagnostic`, with the `Diagnostic` as detail.
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
  // What is shown now, and what it has been told.
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
    // Closed and apart from the page's own children, so that nobody clears the View away with them.
    const root = this.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":host{display:block}:host([hidden]),[hidden]{display:none}");
    root.adoptedStyleSheets = [sheet];
    this.#fallback.name = "fallback";
    root.append(this.#place, this.#fallback);
    // Properties set before the element was defined lie on top of ours.
    for (const name of MCP_APP_PROPERTIES) {
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        delete this[name];
        Object.assign(this, { [name]: value });
      }
    }
  }

  /** The View, while one is shown. */
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
   * Says that this element is about to be removed, so that its View can live on for a while and be
   * shown elsewhere. Once it is removed, its document has gone.
   */
  detach(): void {
    this.#isDetached = true;
    this.#leave();
  }

  /** Takes `detach` back. */
  attach(): void {
    this.#isDetached = false;
    this.#schedule();
  }

  /** Once for all that is set in one go, and for a framework that mounts twice. */
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
    // Each thing once: a component renders the same data again and again.
    const news = Object.entries(data).filter(
      ([name, value]) => value !== undefined && value !== told[name as keyof ToolData],
    );
    if (news.length > 0) this.#view.update(Object.fromEntries(news));
  }

  #mount(host: ShowingHost, app: AppRequest): ShownView {
    const { key } = app;
    const tell = (diagnostic: Diagnostic): void => {
      if (diagnostic.view === key) {
        this.dispatchEvent(new CustomEvent("diagnostic", { detail: diagnostic }));
      }
    };
    // First, because a View that cannot be shown at all says so at once.
    this.#undo = [host.onDiagnostic(tell)];
    const view = host.mount(this.#place, app);
    const follow = (stage?: Stage): void => {
      this.#fallback.hidden = stage === "initialized" || stage === "shown";
    };
    this.#undo.push(
      view.onStage(follow),
      view.onClose(() => follow()),
    );
    follow(view.stage);
    return view;
  }

  #leave(): void {
    const view = this.#view;
    this.#view = undefined;
    this.#shown = {};
    for (const undo of this.#undo.splice(0)) undo();
    this.#fallback.hidden = false;
    // Another element may show the View by now; that one's place is not ours to leave.
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
