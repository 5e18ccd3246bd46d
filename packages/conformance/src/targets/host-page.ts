// A minimal host in the page: it uses neither our classes nor the official SDK, and only sends what a
// scenario requests.

import type { Json } from "../json.ts";

/** How this host behaves. */
export interface HostScript {
  hostContext?: Json;
  hostCapabilities?: Json;
  /** Leave `ui/initialize` unanswered until `admit`. */
  hesitates?: boolean;
  /** The display mode that every request for one ends in; by default the requested one. */
  displayMode?: string;
  /** Results of other requests, by method. Other methods are unknown to this host. */
  answers?: Record<string, unknown>;
  /** Sent in the same turn as `initialized` is read, as the fastest host would. */
  atOnce?: readonly Json[];
}

/** A message of the view, and its time. */
export interface Received {
  at: number;
  message: Json;
}

/** What the page offers to the scenario. */
export interface PageHost {
  send(message: unknown): void;
  request(method: string, params: Json | undefined, patience: number): Promise<Json | null>;
  admit(): void;
}

/** Runs in the page as text, so it may not use anything outside itself. */
export function hostPage(script: HostScript): void {
  const frame = document.querySelector("iframe") as HTMLIFrameElement;
  const waiting = new Map<unknown, (answer: Json) => void>();
  let initialize: Json | undefined;
  let lastId = 1000;
  let hesitates = script.hesitates ?? false;

  const { conformanceReceived: tell } = window as unknown as {
    conformanceReceived(one: Received): void;
  };
  const send = (message: unknown): void => frame.contentWindow?.postMessage(message, "*");
  const answer = ({ id, method, params }: Json): void => {
    const answers: Json = {
      "ui/initialize": {
        protocolVersion: "2026-01-26",
        hostInfo: { name: "conformance-host", version: "1.0.0" },
        hostCapabilities: script.hostCapabilities ?? {},
        hostContext: script.hostContext ?? {},
      },
      ping: {},
      "ui/request-display-mode": { mode: script.displayMode ?? params?.mode },
      ...script.answers,
    };
    const known = Object.hasOwn(answers, method);
    const error = { code: -32601, message: "Method not found" };
    send({ jsonrpc: "2.0", id, ...(known ? { result: answers[method] } : { error }) });
  };
  const read = (message: Json): void => {
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.method === "ui/initialize") {
      initialize = message;
      if (!hesitates) answer(message);
    } else if (message.method === "ui/notifications/initialized") {
      for (const first of script.atOnce ?? []) send(first);
    } else if (message.id !== undefined) answer(message);
  };

  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || typeof data !== "object" || data === null) return;
    if (data.jsonrpc !== "2.0") return;
    tell({ at: performance.now(), message: data });
    read(data);
  });
  (window as unknown as { host: PageHost }).host = {
    send,
    request: (method, params, patience) => {
      const id = lastId++;
      const answered = new Promise<Json | null>((resolve) => {
        waiting.set(id, resolve);
        setTimeout(() => resolve(null), patience);
      });
      send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
      return answered;
    },
    admit: () => {
      hesitates = false;
      if (initialize) answer(initialize);
    },
  };
}
