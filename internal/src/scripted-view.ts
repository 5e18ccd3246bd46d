import { App, type AppEventMap, type AppOptions, type McpUiAppCapabilities } from "@vitrine/view";
import { type RemoteError, servePort, toRemoteError } from "./remote-object.ts";
import { SCRIPTED_TOOLS, type ScriptedTool } from "./scripted-tools.ts";

/** Something that reached the View: an event, a notification, or a call of a handler. */
export interface Received {
  event: string;
  params?: unknown;
}

/** How a call that was begun has ended, and the progress it reported. */
export interface Ending {
  value?: unknown;
  error?: RemoteError;
  progress: unknown[];
}

interface UnderWay {
  controller: AbortController;
  ending: Promise<Ending>;
}

/** Options of a call that can cross a port. */
export interface BeginOptions {
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  /** Whether the signal is aborted before the call is made. */
  aborted?: boolean;
}

type AnyFunction = (...args: unknown[]) => unknown;

const APP_INFO = { name: "scripted-view", version: "1.2.3", title: "Scripted" };

/**
 * A View that does what a test tells it. It lives in a frame of its own, so everything that passes
 * in and out is data, and events that would be callbacks are recorded under `received`.
 */
export class ScriptedView {
  #app: App = new App(APP_INFO);
  readonly #received: Received[] = [];
  readonly #underWay = new Map<string, UnderWay>();
  readonly #tools = new Map<ScriptedTool, ReturnType<App["registerTool"]>>();

  constructor() {
    // Uncaught errors would only show in a console that no test reads.
    addEventListener("unhandledrejection", ({ reason }) => {
      this.#record("unhandledrejection", toRemoteError(reason));
    });
    addEventListener("error", ({ error }) => {
      this.#record("uncaught", toRemoteError(error));
    });
  }

  /** Replaces the App, as a second mount of a component does. */
  create(capabilities?: McpUiAppCapabilities, options?: AppOptions): void {
    this.#app = new App(APP_INFO, capabilities, options);
    this.#app.onclose = () => this.#record("close");
  }

  /** Sets `onerror`; without it the App reports to the window. */
  handleErrors(): void {
    this.#app.onerror = (error) => this.#record("onerror", toRemoteError(error));
  }

  /** Calls a method of the App. */
  call(method: string, ...args: unknown[]): unknown {
    const app = this.#app as unknown as Record<string, AnyFunction>;
    return app[method]?.(...args);
  }

  /** Calls a method of the App with a signal and a progress callback, and does not wait. */
  begin(key: string, method: string, params?: unknown, options: BeginOptions = {}): void {
    const controller = new AbortController();
    if (options.aborted) controller.abort(new Error("never started"));
    const progress: unknown[] = [];
    const onprogress = (report: unknown): number => progress.push(report);
    const { signal } = controller;
    const ending = Promise.resolve(this.call(method, params, { signal, onprogress, ...options }))
      .then((value) => ({ value, progress }))
      .catch((thrown) => ({ error: toRemoteError(thrown), progress }));
    this.#underWay.set(key, { controller, ending });
  }

  /** Gives up a call that was begun. */
  abort(key: string, reason?: string): void {
    this.#underWay.get(key)?.controller.abort(reason && new Error(reason));
  }

  /** Waits for a call that was begun. */
  ending(key: string): Promise<Ending> | undefined {
    return this.#underWay.get(key)?.ending;
  }

  /** Adds a listener for each event. */
  listen(...events: Array<keyof AppEventMap>): void {
    for (const event of events) {
      this.#app.addEventListener(event, (params) => this.#record(event, params));
    }
  }

  /** Sets the handler properties, such as `ontoolinput`. */
  handle(...events: Array<keyof AppEventMap>): void {
    for (const event of events) {
      this.#app[`on${event}`] = (params: unknown) => this.#record(`on${event}`, params);
    }
  }

  /** Listens to notifications without an event. */
  subscribe(...methods: string[]): void {
    for (const method of methods) {
      this.#app.peer.on(method, (params) => this.#record(method, params));
    }
  }

  /** Answers a method of the page's own. */
  serve(method: string, answer: Record<string, unknown>): void {
    this.#app.peer.handle(method, () => answer);
  }

  /** Everything that reached the View so far. */
  received(): Received[] {
    return this.#received;
  }

  /** Answers teardown, after a pause; `{ throws }` fails it instead. */
  answerTeardown(answer: Record<string, unknown>, pause = 0): void {
    this.#app.onteardown = async (params) => {
      this.#record("onteardown", params);
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (answer.throws) throw new Error(`${answer.throws}`);
      return answer;
    };
  }

  /** Answers the Host's tool requests with handlers instead of `registerTool`. */
  answerTools(name: string): void {
    this.#app.onlisttools = async () => ({
      tools: [{ name, inputSchema: { type: "object" } }],
    });
    this.#app.oncalltool = async ({ name: called, arguments: args }) => ({
      content: [{ type: "text", text: `${called} ${JSON.stringify(args)}` }],
    });
  }

  /** Offers scripted tools to the Host. */
  register(...names: ScriptedTool[]): void {
    for (const name of names) {
      this.#tools.set(
        name,
        SCRIPTED_TOOLS[name](this.#app, (event) => this.#record(event)),
      );
    }
  }

  /** Changes a registered tool. */
  change(name: ScriptedTool, change: "enable" | "disable" | "remove"): void {
    this.#tools.get(name)?.[change]();
  }

  /** Gives the document's body a height, as new content does. */
  grow(height: number): void {
    document.body.style.cssText = `margin: 0; height: ${height}px`;
  }

  /** Changes the content and closes before the change was measured. */
  async growAndClose(height: number): Promise<void> {
    this.grow(height);
    // The mutation is known after a microtask, and measured in the next frame.
    await null;
    await this.#app.close();
  }

  /** The origin the browser gave this frame. */
  origin(): string {
    return self.origin;
  }

  #record(event: string, params?: unknown): void {
    this.#received.push(params === undefined ? { event } : { event, params });
  }
}

servePort(() => new ScriptedView());
