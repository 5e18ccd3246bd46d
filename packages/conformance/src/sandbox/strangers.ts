// Windows that are neither the Host nor the View.

import { judge, type Scenario } from "../scenario.ts";
import { probeDocument } from "../targets/probe-view.ts";
import { OUTSIDE } from "../targets/reach.ts";
import { RESOURCE_READY } from "../targets/sandbox-page.ts";
import type { SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { withSandbox } from "./stage.ts";

const FORGED = "conformance/forged";

export const STRANGER_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  {
    title: "posts to the Sandbox from other windows and other origins",
    rules: ["SBX-15"],
    run: async (target) => {
      const found = await Promise.all([
        forgedResource(target),
        forgedMessages(target),
        target.options.host === undefined ? [] : strangeHost(target),
      ]);
      const note =
        target.options.host === undefined
          ? "Other windows are not heard. Which Hosts it knows was not said, so none was tried."
          : "Other windows and a page of another origin are not heard.";
      return [judge("SBX-15", found.flat(), note)];
    },
  },
];

const OTHER = probeDocument();

/** A window beside the Sandbox sends a View before the Host does. */
function forgedResource(target: SandboxTarget): Promise<string[]> {
  return withSandbox(target, { withoutResource: true }, async (session) => {
    if (!(await session.ready())) return [];
    await session.forge({ jsonrpc: "2.0", method: RESOURCE_READY, params: { html: OTHER } });
    const view = await session.view(1000);
    return view ? ["a View that another window sent was shown"] : [];
  });
}

/** Windows beside the Sandbox and inside the View speak where View and Host do. */
function forgedMessages(target: SandboxTarget): Promise<string[]> {
  return withSandbox(target, { csp: { frameDomains: [OUTSIDE.frame] } }, async (session) => {
    await session.shown();
    await session.forge({ jsonrpc: "2.0", method: FORGED, params: { from: "beside" } });
    await session.forgeInside({ jsonrpc: "2.0", method: FORGED, params: { from: "inside" } });
    await session.quiet();
    return forgedAt(session);
  });
}

function forgedAt(session: SandboxSession): string[] {
  const toHost = session.relayed().filter(({ method }) => method === FORGED);
  const toView = session.viewHeard().filter(({ method }) => method === FORGED);
  return [
    ...toHost.map(({ params }) => `a message of a window ${params?.from} reached the Host`),
    ...toView.map(({ params }) => `a message of a window ${params?.from} reached the View`),
  ];
}

/** A page of another origin frames the Sandbox as the Host does. */
function strangeHost(target: SandboxTarget): Promise<string[]> {
  return withSandbox(target, { origin: OUTSIDE.stranger }, async (session) => {
    const view = await session.view(1500);
    return view
      ? [`a View was shown for a page of ${OUTSIDE.stranger}, which is not its Host`]
      : [];
  });
}
