// A view's requests to its host's model.

import { absent, holds, judge, type Scenario } from "../scenario.ts";
import type { HostScript } from "../targets/host-page.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { askedOf, generousHost } from "./view-setup.ts";

const SAMPLING = "sampling/createMessage";

export const SAMPLING_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "observes the view's model context",
    rules: ["VEW-07"],
    run: async (target) => {
      const { length } = await askedOf(target, generousHost(target), "ui/update-model-context");
      return [
        holds(
          "VEW-07",
          length > 0 ? `It sends some (${length} when everything was pressed).` : "It sends none.",
        ),
      ];
    },
  },
  {
    title: "presses everything in hosts with and without sampling",
    rules: ["VEW-15", "VEW-16"],
    run: async (target) => {
      const offered = await askedOf(target, generousHost(target), SAMPLING);
      const withTools = offered.filter(({ tools }) => tools !== undefined);
      const refused = await askedOf(target, without(target, undefined), SAMPLING);
      const plain = await askedOf(target, without(target, {}), SAMPLING);
      const smuggled = plain.filter(({ tools }) => tools !== undefined);
      const never = `The view never sent ${SAMPLING}, although it was offered and everything was pressed.`;
      const noTools = "The view never sent tools with it, although that was offered.";
      return [
        offered.length + refused.length === 0
          ? absent("VEW-15", never)
          : judge(
              "VEW-15",
              refused.map(() => `${SAMPLING} was sent to a host that doesn't offer it`).slice(0, 1),
              "It samples only where that is offered.",
            ),
        withTools.length + smuggled.length === 0
          ? absent("VEW-16", offered.length === 0 ? never : noTools)
          : judge(
              "VEW-16",
              smuggled.map(() => "tools were sent to a host without sampling.tools").slice(0, 1),
              "It only sends tools where sampling.tools is offered.",
            ),
      ];
    },
  },
];

/** The full-featured host with this `sampling`, or without any. */
function without(target: ViewTarget, sampling: object | undefined): HostScript {
  const host = generousHost(target);
  const { sampling: _, ...others } = host.hostCapabilities ?? {};
  return { ...host, hostCapabilities: { ...others, ...(sampling && { sampling }) } };
}
