import { LOGGING_MESSAGE_METHOD } from "@vitrine/protocol/apps";
import type { Refusal } from "./gate.ts";

/** Why a View was stopped. */
export type KillCode = "navigation" | "flood" | "oversize" | "closed";

/** What the Sandbox itself has to say to the Host. */
export type News =
  | { registered: object }
  | { killed: { code: KillCode; detail: string } }
  | { violation: { directive: string; blocked: string } }
  | { dropped: { code: Refusal | "rate"; count: number } }
  | { activity: boolean }
  | { held: true };

/** What reaches us from the Host. */
export interface FromHost {
  /** For the View. */
  message(message: unknown): void;
  /** For the View, as JSON. */
  text(text: string): void;
  /** A View that is held is wanted now. */
  mount(): void;
  close(): void;
}

/** The way to the Host. */
export interface HostLink {
  /** Passes on a message, which is JSON. */
  relay(text: string): void;
  tell(news: News): void;
}

/**
 * Speaks as the specification has it, by window messages, to a Host that knows nothing of us. It has
 * no words for news, so the Host gets log messages, as if the View had written them; a View can
 * write the same, which is why our own Host listens to a port.
 */
export function openWindowLink(host: string, from: FromHost): HostLink {
  addEventListener("message", (event) => {
    // Before the data: to read it is what costs.
    if (event.source !== parent) return;
    if (WITHOUT !== "origin" && event.origin !== host) return;
    from.message(event.data);
  });
  return {
    relay: (text) => parent.postMessage(WITHOUT === "round-trip" ? text : JSON.parse(text), host),
    tell: (news) => {
      if ("killed" in news) postLog(host, "error", news.killed);
      if ("dropped" in news) postLog(host, "warning", news.dropped);
    },
  };
}

/** Writes to the Host's log; never a request, which is not ours to make (SBX-13). */
export function postLog(host: string, level: "error" | "warning", data: object): void {
  const params = { level, logger: "sandbox", data };
  parent.postMessage({ jsonrpc: "2.0", method: LOGGING_MESSAGE_METHOD, params }, host);
}

/**
 * Speaks to our own Host over a port, which is handed over once. Whatever page may later stand in
 * this frame has no port, so it is mute; and what the Sandbox says cannot be said by a View.
 */
export function openPortLink(host: string, from: FromHost): HostLink {
  const { port1: port, port2 } = new MessageChannel();
  let seq = 0;
  const tell = (news: News): void => port.postMessage(news);
  port.onmessage = ({ data }) => {
    const { msg, text, mount, close, activity } = Object(data);
    // First, so that what comes along with it is not lost.
    if (mount) from.mount();
    if (msg) from.message(msg);
    if (typeof text === "string") from.text(text);
    // Asked by a Host whose user was typing when the View took the focus.
    if (activity) tell({ activity: isUserActive() });
    if (close) from.close();
  };
  parent.postMessage({ vitrine: "port" }, host, [port2]);
  return {
    // Text costs a third or a fourth of what an object does to clone, and the Host parses it once.
    // The mark of a user's gesture is ours: the View cannot forge it.
    relay: (text) => port.postMessage({ seq: seq++, act: isUserActive(), text }),
    tell,
  };
}

/** Whether the user has just clicked or typed in this frame or one inside it. */
function isUserActive(): boolean {
  return navigator.userActivation?.isActive ?? false;
}
