// The end of a view.

import { brief } from "../json.ts";
import { broken, holds, type Scenario } from "../scenario.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { askedOf, generousHost, POOR_HOST, withView } from "./view-setup.ts";

const TEARDOWN = "ui/resource-teardown";

export const TEARDOWN_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "sends a teardown to the view",
    rules: ["VEW-13"],
    run: (target) =>
      withView(target, POOR_HOST, async (session) => {
        await session.ready();
        await session.tell(target);
        await session.settled();
        const answer = await session.request(TEARDOWN, { reason: "The suite is done." }, 5_000);
        if (answer === null) return [broken("VEW-13", `${TEARDOWN} was not answered within 5 s`)];
        if ("error" in answer) {
          return [broken("VEW-13", `${TEARDOWN} was answered with ${brief(answer.error)}`)];
        }
        return [holds("VEW-13", `${TEARDOWN} was answered with ${brief(answer.result)}.`)];
      }),
  },
  {
    title: "observes whether the view asks to be closed",
    rules: ["VEW-14"],
    run: async (target) => {
      const asked = await askedOf(
        target,
        generousHost(target),
        "ui/notifications/request-teardown",
      );
      return [holds("VEW-14", asked.length > 0 ? "It asks to be closed." : "It never asks.")];
    },
  },
];
