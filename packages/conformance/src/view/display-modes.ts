// Whether a view only requests display modes that are offered.

import { asRecord, brief } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostScript } from "../targets/host-page.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { exercise, generousHost, POOR_HOST, withView } from "./view-setup.ts";

const REQUEST = "ui/request-display-mode";
const MODES = ["inline", "fullscreen", "pip"];
const NEVER =
  "The view never requested a display mode, although all were offered and everything was pressed.";

export const DISPLAY_MODE_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "presses everything in a host that offers all display modes",
    rules: ["VEW-03"],
    run: async (target) => {
      const { asked, declared } = await modesAsked(target, generousHost(target));
      if (declared === undefined && asked.length === 0) {
        return [absent("VEW-03", `The view declares no modes. ${NEVER}`)];
      }
      return [judgeDeclared(declared, asked)];
    },
  },
  {
    title: "presses everything in a host that offers no other display mode",
    rules: ["VEW-04"],
    run: async (target) => {
      const { asked } = await modesAsked(target, POOR_HOST);
      const faults = asked
        .filter((mode) => mode !== "inline")
        .map((mode) => `it requested ${brief(mode)}, but the host only offers "inline"`);
      if (faults.length > 0) return [judge("VEW-04", faults, "")];
      const offered = await modesAsked(target, generousHost(target));
      if (offered.asked.length === 0) return [absent("VEW-04", NEVER)];
      return [holds("VEW-04", `It only requests ${brief(offered.asked)} where that is offered.`)];
    },
  },
  {
    title: "answers a request for a display mode with another",
    rules: ["VEW-05"],
    run: async (target) => {
      const script = { ...generousHost(target), displayMode: "inline" };
      return withView(target, script, async (session) => {
        await exercise(target, session);
        const asked = (await session.all(REQUEST)).map(({ params }) => asRecord(params).mode);
        if (!asked.some((mode) => mode !== "inline")) return [absent("VEW-05", NEVER)];
        const faults = session.errors.map((error) => `uncaught: ${error}`);
        // One press is one request; a view that doesn't accept a refusal keeps asking.
        if (asked.length > 20) faults.push(`it asked ${asked.length} times`);
        if (!(await session.isAlive())) faults.push("it stops responding");
        return [judge("VEW-05", faults, `Requested ${brief(asked)}, got inline, and continued.`)];
      });
    },
  },
];

function modesAsked(
  target: ViewTarget,
  script: HostScript,
): Promise<{ asked: unknown[]; declared: unknown }> {
  return withView(target, script, async (session) => {
    await exercise(target, session);
    const asked = (await session.all(REQUEST)).map(({ params }) => asRecord(params).mode);
    const { appCapabilities } = await session.greeting();
    return { asked, declared: asRecord(appCapabilities).availableDisplayModes };
  });
}

function judgeDeclared(declared: unknown, asked: readonly unknown[]): Finding {
  const modes: unknown[] = Array.isArray(declared) ? declared : [];
  const faults = [...new Set(asked)]
    .filter((mode) => !modes.includes(mode))
    .map((mode) => `it requests ${brief(mode)} but declares ${brief(declared)}`);
  if (declared !== undefined && !Array.isArray(declared)) {
    faults.push(`availableDisplayModes is ${brief(declared)}, not a list`);
  }
  for (const mode of modes) {
    if (!MODES.includes(mode as string)) faults.push(`${brief(mode)} is not a display mode`);
  }
  return judge("VEW-03", faults, `It declares ${brief(declared)}.`);
}
