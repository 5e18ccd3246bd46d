// Windows that are neither the host nor the view.

import { judge, type Scenario } from "../scenario.ts";
import { probeDocument } from "../targets/probe-view.ts";
import { OUTSIDE } from "../targets/reach.ts";
import { RESOURCE_READY } from "../targets/sandbox-page.ts";
import type { SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { withSandbox } from "./sandbox-setup.ts";

const FORGED = "conformance/forged";

export const FOREIGN_WINDOW_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  {
    title: "posts to the sandbox from other windows and other origins",
    rules: ["SBX-15"],
    run: async (target) => {
      const found = await Promise.all([
        forgedResource(target),
        forgedMessages(target),
        target.options.host === undefined ? [] : strangeHost(target),
      ]);
      const note =
        target.options.host === undefined
          ? "Messages of other windows are ignored. The sandbox's hosts are unknown, so no other origin was tried."
          : "Messages of other windows and of a page of another origin are ignored.";
      return [judge("SBX-15", found.flat(), note)];
    },
  },
];

const OTHER = probeDocument();

/** A window next to the sandbox sends a view before the host does. */
function forgedResource(target: SandboxTarget): Promise<string[]> {
  return withSandbox(target, { withoutResource: true }, async (session) => {
    if (!(await session.ready())) return [];
    await session.forge({ jsonrpc: "2.0", method: RESOURCE_READY, params: { html: OTHER } });
    const view = await session.view(1000);
    return view ? ["a view that another window sent was shown"] : [];
  });
}

/** Windows next to the sandbox and inside the view post where view and host do. */
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
  const toView = session.viewReceived().filter(({ method }) => method === FORGED);
  return [
    ...toHost.map(({ params }) => `a message of a window ${params?.from} reached the host`),
    ...toView.map(({ params }) => `a message of a window ${params?.from} reached the view`),
  ];
}

/** A page of another origin frames the sandbox as the host does. */
function strangeHost(target: SandboxTarget): Promise<string[]> {
  return withSandbox(target, { origin: OUTSIDE.undeclared }, async (session) => {
    const view = await session.view(1500);
    return view
      ? [`a view was shown for a page of ${OUTSIDE.undeclared}, which is not its host`]
      : [];
  });
}
