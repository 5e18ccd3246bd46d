// The Host's page around a Sandbox that is judged, by hand: it frames it and sends nothing that a
// scenario has not asked for.

import type { Json } from "../json.ts";

/** What the page is made with. */
export interface SandboxScript {
  /** The Sandbox's address. */
  url: string;
  /** Sent as soon as the Sandbox says that it is ready, in the same turn. */
  resource?: Json;
}

/** A message at the Host's window. */
export interface Heard {
  at: number;
  origin: string;
  /** Whether the Sandbox's window sent it. */
  isSandbox: boolean;
  message: Json;
}

/** What the page offers to the scenario. */
export interface SandboxHost {
  send(message: unknown): void;
  /** Whether the Host's scripts can reach into the Sandbox's document. */
  canReach(): boolean;
}

export const PROXY_READY = "ui/notifications/sandbox-proxy-ready";
export const RESOURCE_READY = "ui/notifications/sandbox-resource-ready";

/** Runs in the page, as text: it may use nothing from outside itself. */
export function sandboxPage({ url, resource }: SandboxScript): void {
  const frame = document.querySelector("iframe") as HTMLIFrameElement;
  let isSent = false;
  const send = (message: unknown): void => frame.contentWindow?.postMessage(message, "*");
  addEventListener("message", ({ source, origin, data }) => {
    if (typeof data !== "object" || data === null) return;
    const isSandbox = source === frame.contentWindow;
    const at = performance.timeOrigin + performance.now();
    (window as unknown as { conformanceHeard(one: Heard): void }).conformanceHeard({
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
