import { LOGGING_MESSAGE_METHOD } from "@vitrine/protocol/apps";
import type { Refusal } from "./gate.ts";

/** Why a View was stopped. */
export type KillCode = "navigation" | "flood" | "oversize" | "history" | "storage" | "closed";

/** An event of the Sandbox itself, for the Host. */
export type SandboxEvent =
  | { registered: object }
  | { killed: { code: KillCode; detail: string } }
  | { violation: { directive: string; blocked: string } }
  | { dropped: { code: Refusal | "rate"; count: number } }
  | { failed: { message: string } }
  | { activity: boolean }
  | { held: true };

/** Handlers for messages of the Host. */
export interface FromHost {
  /** For the View. */
  message(message: unknown): void;
  /** For the View, as JSON. */
  text(text: string): void;
  /** A held View has to start now. */
  mount(): void;
  close(): void;
}

/** The connection to the Host. */
export interface HostLink {
  /** Passes on a message, which is JSON. */
  relay(text: string): void;
  report(event: SandboxEvent): void;
}

/**
 * Connects to any Host with window messages, as in the specification. The specification has no
 * messages for sandbox events, so the Host gets log messages as if from the View. A View can forge
 * these, which is why our own Host uses a port.
 */
export function openWindowLink(host: string, from: FromHost): HostLink {
  addEventListener("message", (event) => {
    // Before the data, because reading it is the slow part.
    if (event.source !== parent) return;
    if (WITHOUT !== "origin" && event.origin !== host) return;
    from.message(event.data);
  });
  return {
    relay: (text) => parent.postMessage(WITHOUT === "round-trip" ? text : JSON.parse(text), host),
    report: (event) => {
      if ("killed" in event) postLog(host, "error", event.killed);
      if ("dropped" in event) postLog(host, "warning", event.dropped);
    },
  };
}

/** Writes to the Host's log; never a request, which the Sandbox must not send (SBX-13). */
export function postLog(host: string, level: "error" | "warning", data: object): void {
  const params = { level, logger: "sandbox", data };
  parent.postMessage({ jsonrpc: "2.0", method: LOGGING_MESSAGE_METHOD, params }, host);
}

/**
 * Connects to our own Host over a port, which is transferred once. A page that later replaces this
 * one has no port, so it can't send anything; and a View can't forge the Sandbox's events.
 */
export function openPortLink(host: string, from: FromHost): HostLink {
  const { port1: port, port2 } = new MessageChannel();
  let seq = 0;
  const report = (event: SandboxEvent): void => port.postMessage(event);
  port.onmessage = ({ data }) => {
    const { msg, text, mount, close, activity } = Object(data);
    // First, so that messages that arrive with it aren't lost.
    if (mount) from.mount();
    if (msg) from.message(msg);
    if (typeof text === "string") from.text(text);
    // For a Host whose user was typing when the View took the focus.
    if (activity) report({ activity: isUserActive() });
    if (close) from.close();
  };
  parent.postMessage({ vitrine: "port" }, host, [port2]);
  return {
    // Cloning text takes a third or a quarter of the time of an object, and the Host parses it
    // once. The View can't forge the flag of a user's gesture.
    relay: (text) => port.postMessage({ seq: seq++, act: isUserActive(), text }),
    report,
  };
}

/** Whether the user has just clicked or typed in this frame or one inside it. */
function isUserActive(): boolean {
  return navigator.userActivation?.isActive ?? false;
}
