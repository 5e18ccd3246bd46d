import { refuse } from "../../errors/refusal.ts";
import type { PolicyCheck } from "../pipeline.ts";
import { isModernHead } from "./meta.ts";

// Methods that a View may send to its server (GW-08). Messages between View and Host never reach the gateway.
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

// Methods that manage a session. The gateway never creates sessions for callers.
const OF_SESSIONS: ReadonlySet<string> = new Set(["resources/subscribe", "resources/unsubscribe"]);

// Methods that 2026-07-28 removed and that the gateway still answers for clients of older protocols.
const OF_HANDSHAKES: ReadonlySet<string> = new Set(["initialize", "ping", "logging/setLevel"]);

/** Accepts the methods that this kind of caller may use. Only the model's side may use extensions. */
export const allowedMethodsCheck: PolicyCheck = {
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
    return refuse("unknown-method", `${shown} isn't a method that a ${caller.party} may call.`);
  },
};
