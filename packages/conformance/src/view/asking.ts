// What a View asks of its Host's model.

import { absent, holds, judge, type Scenario } from "../scenario.ts";
import type { HostScript } from "../targets/host-page.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { askedOf, generousHost } from "./stage.ts";

const SAMPLING = "sampling/createMessage";

export const ASKING_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "watches for what the View tells the model",
    rules: ["VEW-07"],
    run: async (target) => {
      const { length } = await askedOf(target, generousHost(target), "ui/update-model-context");
      return [
        holds("VEW-07", length > 0 ? `It does (${length} when all was pressed).` : "It does not."),
      ];
    },
  },
  {
    title: "presses everything in Hosts with and without sampling",
    rules: ["VEW-15", "VEW-16"],
    run: async (target) => {
      const offered = await askedOf(target, generousHost(target), SAMPLING);
      const withTools = offered.filter(({ tools }) => tools !== undefined);
      const refused = await askedOf(target, without(target, undefined), SAMPLING);
      const plain = await askedOf(target, without(target, {}), SAMPLING);
      const smuggled = plain.filter(({ tools }) => tools !== undefined);
      const never = `The View never sent ${SAMPLING}, though it was offered and all pressed.`;
      const noTools = "The View never sent tools with it, though that was offered.";
      return [
        offered.length + refused.length === 0
          ? absent("VEW-15", never)
          : judge(
              "VEW-15",
              refused
                .map(() => `${SAMPLING} was sent to a Host that does not offer it`)
                .slice(0, 1),
              "It samples only where that is offered.",
            ),
        withTools.length + smuggled.length === 0
          ? absent("VEW-16", offered.length === 0 ? never : noTools)
          : judge(
              "VEW-16",
              smuggled.map(() => "tools were sent to a Host without sampling.tools").slice(0, 1),
              "It sends tools only where sampling.tools is offered.",
            ),
      ];
    },
  },
];

/** The generous Host with this for `sampling`, or without any. */
function without(target: ViewTarget, sampling: object | undefined): HostScript {
  const host = generousHost(target);
  const { sampling: _, ...others } = host.hostCapabilities ?? {};
  return { ...host, hostCapabilities: { ...others, ...(sampling && { sampling }) } };
}
