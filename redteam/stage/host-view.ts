// Documents of hostile views for the real host: hand-written, because an SDK would follow the rules.

import { viewDocument } from "./view-document.ts";

/** What came back: one of both, as JSON-RPC has it. */
export interface Answer {
  readonly result?: Record<string, unknown> & { isError?: boolean; message?: string };
  readonly error?: { readonly code: number; readonly message: string };
}

declare global {
  /** In a hosted view: asks the host. */
  function ask(method: string, params?: unknown): Promise<Answer>;
  /** In a hosted view: tells the host. */
  function tell(method: string, params?: unknown): void;
  /** In a hosted view: the handshake; what the host said of itself. */
  function greet(hello?: object): Promise<Answer>;
  /** In a hosted view: who answers the host's requests; nothing means silence. */
  var serve: (method: string, params: unknown) => unknown;
  /** In a hosted view: every message of the host. */
  var fromHost: { method?: string; params?: unknown }[];
  /** In a hosted view: the input of its tool. */
  var input: Promise<Record<string, unknown>>;
}

/** A view that runs one function, sent as source text: it may use the globals above and `say`. */
export function hostedView<Parameters extends unknown[]>(
  script: (...parameters: Parameters) => unknown,
  ...parameters: Parameters
): string {
  const call = `(${script.toString()})(...${JSON.stringify(parameters)})`;
  return viewDocument(`(${speech.toString()})();${call}`);
}

function speech(): void {
  const waiting = new Map<unknown, (answer: Answer) => void>();
  let last = 0;
  const post = (message: object) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  let receive: (input: Record<string, unknown>) => void = () => {};
  globalThis.fromHost = [];
  globalThis.input = new Promise((resolve) => {
    receive = resolve;
  });
  globalThis.serve = () => ({});
  globalThis.tell = (method, params = {}) => post({ method, params });
  globalThis.ask = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      post({ id: last, method, params });
    });
  globalThis.greet = async (hello = {}) => {
    const answer = await ask("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "hostile", version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen", "pip"] },
      ...hello,
    });
    tell("ui/notifications/initialized");
    return answer;
  };
  // To distinguish a click that went elsewhere from one without effect.
  const touched = { level: "info", logger: "redteam-touch", data: 0 };
  addEventListener("pointerdown", () => tell("notifications/message", touched), true);
  addEventListener("message", async ({ source, data }) => {
    if (source !== parent) return;
    fromHost.push(data);
    const { id, method, params, result, error } = data;
    if (method === "ui/notifications/tool-input") receive(params.arguments);
    if (method === undefined) waiting.get(id)?.({ result, error });
    else if (id !== undefined) {
      const answer = await serve(method, params);
      if (answer !== undefined) post({ id, result: answer });
    }
  });
}
