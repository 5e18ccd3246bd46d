// A minimal host page around the sandbox under test: it frames it and only sends what a scenario
// requests.

import type { Json } from "../json.ts";

/** Options of the page. */
export interface SandboxScript {
  /** The sandbox's address. */
  url: string;
  /** Sent as soon as the sandbox reports that it is ready, in the same turn. */
  resource?: Json;
}

/** A message at the host's window. */
export interface ReceivedMessage {
  at: number;
  origin: string;
  /** Whether the sandbox's window sent it. */
  isSandbox: boolean;
  message: Json;
}

/** What the page offers to the scenario. */
export interface SandboxHost {
  send(message: unknown): void;
  /** Whether the host's scripts can access the sandbox's document. */
  canReach(): boolean;
}

export const PROXY_READY = "ui/notifications/sandbox-proxy-ready";
export const RESOURCE_READY = "ui/notifications/sandbox-resource-ready";

/** Runs in the page as text, so it may not use anything outside itself. */
export function sandboxPage({ url, resource }: SandboxScript): void {
  const frame = document.querySelector("iframe") as HTMLIFrameElement;
  let isSent = false;
  const send = (message: unknown): void => frame.contentWindow?.postMessage(message, "*");
  addEventListener("message", ({ source, origin, data }) => {
    if (typeof data !== "object" || data === null) return;
    const isSandbox = source === frame.contentWindow;
    const at = performance.timeOrigin + performance.now();
    (window as unknown as { conformanceReceived(one: ReceivedMessage): void }).conformanceReceived({
      at,
      origin,
      isSandbox,
      message: data,
    });
    const isReady = data.method === "ui/notifications/sandbox-proxy-ready";
    if (!isSandbox || !isReady || !resource || isSent) return;
    isSent = true;
    const method = "ui/notifications/sandbox-resource-ready";
    send({ jsonrpc: "2.0", method, params: resource });
  });
  (window as unknown as { host: SandboxHost }).host = {
    send,
    canReach: () => {
      try {
        return Boolean(frame.contentDocument);
      } catch {
        return false;
      }
    },
  };
  frame.src = url;
}
