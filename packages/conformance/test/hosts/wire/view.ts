// One view of the host on the bare wire: handshake, tool data, requests.

import type { Json } from "../../../src/json.ts";
import { fault } from "./fault.ts";
import { WireFrame } from "./frame.ts";
import type { WireServer } from "./mcp.ts";
import { REQUESTS } from "./requests.ts";

const NOTE = "ui/notifications/";
const wait = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

/** A View in the page. */
export class WireView {
  readonly server: WireServer;
  /** All connections of the page, including later ones. */
  readonly servers: ReadonlyMap<string, WireServer>;
  readonly key: number;
  readonly place: WireFrame;
  appCapabilities: Json = {};
  appInfo: Json = {};
  mode = "inline";
  isClosed = false;
  readonly ready: Promise<void>;
  onWish: () => void = () => {};
  #greet: () => void = () => {};
  #isGreeted = false;
  #isToldInput = false;
  #lastId = 0;
  readonly #waiting = new Map<number, (answer: Json) => void>();
  readonly #calls = new Map<unknown, AbortController>();

  constructor(
    { server, servers, key }: Pick<WireView, "server" | "servers" | "key">,
    { html, meta }: { html: string; meta: Json },
  ) {
    this.server = server;
    this.servers = servers;
    this.key = key;
    this.ready = new Promise((resolve) => {
      this.#greet = resolve;
    });
    const onMessage = (message: Json): void => void this.#take(message);
    this.place = new WireFrame({ html, meta, server: server.url, onMessage });
  }

  notify(method: string, params: Json = {}): void {
    if (this.#isGreeted || fault === "speaks-early") this.place.post({ method, params });
  }

  /** A request to the view; rejects after 30 s, and with its error. */
  request(method: string, params: Json, time = 30_000): Promise<Json> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered.`)), time);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (answer.error) reject(new Error(answer.error.message));
        else resolve(answer.result);
      });
      this.place.post({ id, method, params });
    });
  }

  tellPartial(args: Json): void {
    if (this.#isToldInput && fault !== "partial-late") return;
    this.notify(`${NOTE}tool-input-partial`, { arguments: args });
  }

  async tellInput(args: Json): Promise<void> {
    await this.ready;
    this.#isToldInput = true;
    if (fault === "result-first") return;
    const told = fault === "input-changed" ? { ...args, days: 4 } : args;
    this.notify(`${NOTE}tool-input`, { arguments: told });
    if (fault === "input-twice") this.notify(`${NOTE}tool-input`, { arguments: told });
  }

  async tellResult(result: Json, args: Json): Promise<void> {
    await this.ready;
    const told = fault === "result-stripped" ? { content: result.content } : result;
    this.notify(`${NOTE}tool-result`, told);
    if (fault === "result-first") this.notify(`${NOTE}tool-input`, { arguments: args });
  }

  async tellCancelled(reason: string): Promise<void> {
    await this.ready;
    if (fault !== "cancel-unsaid") this.notify(`${NOTE}tool-cancelled`, { reason });
  }

  setMode(mode: string): void {
    const declared = this.appCapabilities.availableDisplayModes;
    const isKnown = mode === "inline" || mode === "fullscreen";
    const isDeclared = !declared || declared.includes(mode) || fault === "mode-forced";
    if (!isKnown || !isDeclared || mode === this.mode) return;
    this.mode = mode;
    this.place.fill(mode === "fullscreen");
    if (fault !== "mode-untold") this.notify(`${NOTE}host-context-changed`, { displayMode: mode });
  }

  /** Ends the view, and waits until it has agreed. */
  async close(reason: string, isWish = false): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const isAbrupt = fault === (isWish ? "wish-abrupt" : "teardown-unsaid");
    const isHurried = fault === (isWish ? "wish-hurried" : "teardown-hurried");
    if (!isAbrupt) {
      const agreed = this.request("ui/resource-teardown", { reason }, 3000).catch(() => {});
      await (isHurried ? wait(100) : agreed);
    }
    this.place.remove();
  }

  context(): Json {
    if (fault === "context-empty") return {};
    const colour = fault === "colours-fixed" ? "#222" : "light-dark(#222, #eee)";
    return {
      theme: "light",
      displayMode: this.mode,
      availableDisplayModes: ["inline", "fullscreen"],
      containerDimensions: { width: this.place.width, maxHeight: 5000 },
      locale: navigator.language,
      styles: { variables: { "--color-text-primary": colour } },
    };
  }

  async #take(message: Json): Promise<void> {
    const { id, method, params } = message;
    if (method === undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    } else if (typeof method !== "string") return;
    else if (id === undefined) this.#notified(method, params ?? {});
    else if (typeof id === "string" || typeof id === "number")
      await this.#answer(id, method, params);
  }

  async #answer(id: string | number, method: string, params: Json = {}): Promise<void> {
    const answer = (rest: Json): void =>
      this.place.post({ id: fault === "ids-as-text" && id ? `${id}` : id, ...rest });
    const over = new AbortController();
    this.#calls.set(id, over);
    try {
      const handler = method === "ping" && fault === "ping-unknown" ? undefined : REQUESTS[method];
      if (!handler) throw { code: -32601, message: "Method not found" };
      answer({ result: await handler(this, params, over.signal) });
    } catch (error) {
      const { code = -32000, message = "No." } = error as { code?: number; message?: string };
      if (!over.signal.aborted) answer({ error: { code: Number(code) || -32000, message } });
    }
    if (method === "ui/initialize" && fault === "tools-asked") {
      setTimeout(() => void this.request("tools/list", {}).catch(() => {}), 100);
    }
  }

  #notified(method: string, params: Json): void {
    if (method === `${NOTE}initialized`) {
      this.#isGreeted = true;
      this.#greet();
    } else if (method === `${NOTE}size-changed`) this.place.resize(params);
    else if (method === `${NOTE}request-teardown`)
      void this.close("as it wished", true).then(this.onWish);
    else if (method === "notifications/cancelled") this.#calls.get(params.requestId)?.abort();
    else this.onNotification(method, params);
  }

  /** The page's part. */
  onNotification: (method: string, params: Json) => void = () => {};
}
