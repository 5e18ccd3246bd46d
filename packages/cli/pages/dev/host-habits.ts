// Applies a profile or fault to the messages: the capabilities in the handshake, and the response to
// a view that requests something that isn't offered.

import { METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { McpUiHostCapabilities } from "@vitrine/protocol/apps";
import type { HostProfile } from "../../src/dev/host-profile.ts";
import type { Faults } from "./faults.ts";
import { ANSWERED, type JsonObject, type TapRules } from "./traffic-tap.ts";

type Capability = keyof McpUiHostCapabilities;

/** The capability that a view's message needs. */
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

/** The rules of a host with this profile and these faults. */
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
          // The sandbox's grants come from our sandbox.
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
      const whose = profile ? profile.name : "This host (with a simulated fault)";
      return {
        code: METHOD_NOT_FOUND,
        message: `${whose} doesn't offer ${needed}, so ${method} is not answered.`,
      };
    },
  };
}

function capabilitiesIn(message: JsonObject): JsonObject | undefined {
  if (message[ANSWERED] !== "ui/initialize") return undefined;
  const { hostCapabilities } = Object(message.result) as { hostCapabilities?: unknown };
  return typeof hostCapabilities === "object" ? (hostCapabilities as JsonObject) : undefined;
}
