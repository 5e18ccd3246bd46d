// A profile's or fault's hold on the conversation: what the handshake says the Host offers, and the answer
// to a View that asks for what it does not.

import { METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { McpUiHostCapabilities } from "@vitrine/protocol/apps";
import type { HostProfile } from "../../src/dev/host-profile.ts";
import type { Faults } from "./faults.ts";
import { ANSWERED, type JsonObject, type TapRules } from "./traffic-tap.ts";

type Capability = keyof McpUiHostCapabilities;

/** The capability that a View's message needs. */
const NEEDS = new Map<string, Capability>([
  ["ui/open-link", "openLinks"],
  ["ui/download-file", "downloadFile"],
  ["ui/message", "message"],
  ["ui/update-model-context", "updateModelContext"],
  ["tools/call", "serverTools"],
  ["tools/list", "serverTools"],
  ["resources/read", "serverResources"],
  ["resources/list", "serverResources"],
  ["resources/templates/list", "serverResources"],
  ["notifications/message", "logging"],
  ["sampling/createMessage", "sampling"],
]);

/** The rules of a Host with these habits. */
export function habitsOf(
  profile: HostProfile | undefined,
  { noServerTools }: Pick<Faults, "noServerTools">,
): TapRules {
  const lacks = (name: Capability): boolean =>
    (noServerTools && name === "serverTools") ||
    (profile !== undefined && !(name in profile.capabilities));
  return {
    rewrite: (message) => {
      const offered = capabilitiesIn(message);
      if (!offered || (!profile && !noServerTools)) return message;
      const capabilities = Object.fromEntries(
        Object.entries(offered).flatMap(([name, value]) => {
          // What the Sandbox grants is a matter of the Sandbox, which is ours.
          if (name === "sandbox") return [[name, value]];
          return lacks(name as Capability)
            ? []
            : [[name, profile?.capabilities[name as Capability] ?? value]];
        }),
      );
      return {
        ...message,
        result: { ...(message.result as object), hostCapabilities: capabilities },
      };
    },
    refuse: (method) => {
      const needed = NEEDS.get(method);
      if (!needed || !lacks(needed)) return undefined;
      const whose = profile ? profile.name : "This Host, by a fault that is switched on,";
      return {
        code: METHOD_NOT_FOUND,
        message: `${whose} offers no ${needed}: ${method} is not answered.`,
      };
    },
  };
}

function capabilitiesIn(message: JsonObject): JsonObject | undefined {
  if (message[ANSWERED] !== "ui/initialize") return undefined;
  const { hostCapabilities } = Object(message.result) as { hostCapabilities?: unknown };
  return typeof hostCapabilities === "object" ? (hostCapabilities as JsonObject) : undefined;
}
