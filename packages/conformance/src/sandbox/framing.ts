// Where a sandbox runs, and how it starts.

import { brief } from "../json.ts";
import { absent, broken, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import { PROXY_READY } from "../targets/sandbox-page.ts";
import type { SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { withSandbox } from "./sandbox-setup.ts";

export const FRAMING_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  {
    title: "frames the sandbox on its host's origin, and on its own",
    rules: ["SBX-01"],
    run: async (target) => [await judgeOrigin(target)],
  },
  {
    title: "frames the sandbox with the two flags of the specification only",
    rules: ["SBX-02", "SBX-03"],
    run: (target) =>
      withSandbox(target, {}, async (session) => [
        await judgeFlags(session),
        await judgeReady(session),
      ]),
  },
  {
    title: "requests flags for the view's frame",
    rules: ["SBX-14"],
    run: async (target) => [await judgeOverride(target)],
  },
  {
    title: "grants permissions to the view",
    rules: ["SBX-09"],
    run: (target) =>
      withSandbox(
        target,
        { permissions: { geolocation: {}, clipboardWrite: {} } },
        async (session) => {
          const view = await session.shown();
          const allowed = await view.evaluate(() => {
            const { featurePolicy } = document as unknown as {
              featurePolicy: { allowsFeature(name: string): boolean };
            };
            const names = ["geolocation", "clipboard-write", "camera", "microphone"];
            return names.filter((name) => featurePolicy.allowsFeature(name));
          });
          const note = `Of geolocation and clipboard-write the view has ${brief(allowed)}.`;
          return [holds("SBX-09", note)];
        },
      ),
  },
];

async function judgeOrigin(target: SandboxTarget): Promise<Finding> {
  const found = await withSandbox(target, {}, async (session) => ({
    ready: await session.ready(),
    canReach: await session.canReach(),
  }));
  const faults: string[] = [];
  const { hostOrigin, origin } = target;
  if (origin === hostOrigin && found.ready?.origin !== "null") {
    faults.push(`host and sandbox are both on ${origin}`);
  }
  if (found.ready && found.canReach) faults.push("the host's scripts can read the sandbox's page");
  if (!found.ready && faults.length === 0) {
    return absent("SBX-01", "The sandbox was never ready, so its origin is unknown.");
  }
  // A page of the sandbox's own origin around it: its reaction is its own defence, not the rule.
  const guarded = await withSandbox(target, { origin }, async (session) => {
    const runs = (await session.ready(1500)) !== undefined && (await session.canReach());
    return !runs;
  });
  const note = guarded
    ? "A page of its own origin is not accepted as a host."
    : "It would run below a page of its own origin: only the set-up separates them.";
  return judge("SBX-01", faults, `Host on ${hostOrigin}, sandbox on ${origin}. ${note}`);
}

async function judgeFlags(session: SandboxSession): Promise<Finding> {
  const ready = await session.ready();
  const view = await session.view();
  const faults: string[] = [];
  if (!ready) faults.push(`${PROXY_READY} never came with allow-scripts allow-same-origin`);
  else if (ready.origin === "null") faults.push("its own page has an opaque origin");
  if (ready && !view) faults.push("the view was never shown");
  return judge("SBX-02", faults, "With these two flags it has its origin and shows the view.");
}

async function judgeReady(session: SandboxSession): Promise<Finding> {
  const ready = await session.ready();
  if (!ready) return broken("SBX-03", `${PROXY_READY} never came`);
  const faults: string[] = [];
  const { message, isSandbox } = ready;
  if (!isSandbox) faults.push(`${PROXY_READY} came from another window`);
  if (message.jsonrpc !== "2.0" || "id" in message) faults.push(`it is ${brief(message)}`);
  if (!(await session.view())) faults.push("the resource that was sent at once was not shown");
  await session.quiet();
  const { length } = session.received.filter(({ message: { method } }) => method === PROXY_READY);
  if (length > 1) faults.push(`it came ${length} times`);
  return judge("SBX-03", faults, "It came once, and the resource sent in the same turn was shown.");
}

async function judgeOverride(target: SandboxTarget): Promise<Finding> {
  const originWith = (sandbox?: string): Promise<string | undefined> =>
    withSandbox(target, { ...(sandbox && { sandbox }) }, async (session) =>
      (await session.view())?.evaluate(() => window.origin),
    );
  const [usual, narrow, none] = await Promise.all([
    originWith(),
    originWith("allow-scripts"),
    withSandbox(target, { sandbox: "allow-same-origin" }, (session) => session.view(1500)),
  ]);
  const faults: string[] = [];
  if (narrow === undefined) faults.push('with sandbox: "allow-scripts" no view was shown');
  else if (narrow !== "null")
    faults.push(`with sandbox: "allow-scripts" it has the origin ${narrow}`);
  if (none && usual !== undefined) faults.push("its scripts run without allow-scripts");
  return judge("SBX-14", faults, `Origin by default ${usual}, with allow-scripts alone none.`);
}
