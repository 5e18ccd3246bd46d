// How a view reacts to changes of its host context, and to permissions that it was not granted.

import { absent, type Finding, judge, type Scenario } from "../scenario.ts";
import type { ViewSession } from "../targets/view-session.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { exercise, generousHost, POOR_HOST, withView } from "./view-setup.ts";

const CHANGED = "ui/notifications/host-context-changed";
const COLOUR = "rgb(1, 2, 3)";

export const CONTEXT_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "changes only the theme, after sending theme and styles",
    rules: ["VEW-12"],
    run: (target) => {
      const host = generousHost(target);
      const variables = { "--color-text-primary": COLOUR };
      const hostContext = { ...host.hostContext, styles: { variables } };
      return withView(target, { ...host, hostContext }, async (session) => {
        await session.ready();
        await session.tell(target);
        await session.settled();
        return [await judgeMerge(session)];
      });
    },
  },
  {
    title: "presses everything without granted permissions",
    rules: ["VEW-06"],
    run: (target) =>
      withView(target, POOR_HOST, async (session) => {
        await exercise(target, session);
        const asked = await session.frame.evaluate(
          () => (window as unknown as { askedFor: string[] }).askedFor,
        );
        if (asked.length === 0) {
          return [absent("VEW-06", "The view requested nothing that needs permission.")];
        }
        const faults = session.errors.map((error) => `uncaught after a request: ${error}`);
        const note = `It requested ${[...new Set(asked)].join(", ")} and handled the refusal.`;
        return [judge("VEW-06", faults, note)];
      }),
  },
];

/** A failed merge is visible: values that weren't in the change must still be in force after it. */
async function judgeMerge(session: ViewSession): Promise<Finding> {
  const before = await appearance(session);
  const errors = session.errors.length;
  await session.notify(CHANGED, { theme: "dark" });
  await session.settled();
  const after = await appearance(session);
  const faults = session.errors.slice(errors).map((error) => `uncaught: ${error}`);
  if (!(await session.isAlive())) faults.push("it stops responding");
  if (before.text !== "" && after.text === "") faults.push("it shows nothing any more");
  if (before.variable === COLOUR && after.variable !== COLOUR) {
    faults.push("a change of the theme removed the host's style variables");
  }
  if (faults.length === 0 && before.variable !== COLOUR) {
    const note = "The view uses no style variables, so merging can't be observed.";
    return absent("VEW-12", `${note} It survived the change.`);
  }
  return judge("VEW-12", faults, "After a change of the theme the style variables are in force.");
}

function appearance(session: ViewSession): Promise<{ variable: string; text: string }> {
  return session.frame.evaluate(() => ({
    variable: getComputedStyle(document.documentElement)
      .getPropertyValue("--color-text-primary")
      .trim(),
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not shown.
    text: document.body?.innerText.trim() ?? "",
  }));
}
