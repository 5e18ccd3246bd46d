import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";
import { isModernHead } from "./envelope.ts";

// What a View may have of its server (GW-08); what is between View and Host never comes this far.
const OF_VIEWS: ReadonlySet<string> = new Set([
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
  "ping",
  "notifications/message",
  "notifications/cancelled",
]);

// Of the handshake era: a session is never made here, so what manages one has no meaning.
const OF_SESSIONS: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

// What 2026-07-28 has done away with, and the gateway still answers to whoever speaks an older protocol.
const OF_HANDSHAKES: ReadonlySet<string> = new Set(["initialize", "ping", "logging/setLevel"]);

/** Lets through what a caller of this kind may say at all. Extensions are the model's side to use. */
export const methodLink: Link = {
  name: "method",
  run: (exchange) => {
    const { caller, frame } = exchange;
    const { method } = frame;
    const isGone = OF_HANDSHAKES.has(method) && isModernHead(exchange);
    const isOpen =
      caller.party === "view"
        ? OF_VIEWS.has(method)
        : !method.startsWith("ui/") && !OF_SESSIONS.has(method);
    if (isOpen && !isGone) return undefined;
    const shown = JSON.stringify(method.slice(0, 64));
    return refuse("unknown-method", `${shown} is not a method that a ${caller.party} may send.`);
  },
};
