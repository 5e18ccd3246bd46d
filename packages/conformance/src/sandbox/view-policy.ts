// What the view's document may load and reach.

import { absent, type Finding, judge, type Scenario } from "../scenario.ts";
import { PROBE_MARK, type Probe } from "../targets/probe-view.ts";
import {
  CONNECTING,
  LOADING,
  OUTSIDE,
  reaches,
  runsTextAsCode,
  type Way,
} from "../targets/reach.ts";
import type { SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { withSandbox } from "./sandbox-setup.ts";

declare const probe: Probe;

const CSP = {
  connectDomains: [OUTSIDE.connect, OUTSIDE.connect.replace("https", "wss")],
  resourceDomains: [OUTSIDE.resource],
};
const EVERYTHING = {
  ...CSP,
  frameDomains: [OUTSIDE.frame],
  baseUriDomains: [OUTSIDE.base],
};
const UNDECLARED: readonly Way[] = [...CONNECTING, ...LOADING, "form", "prefetch"];

export const POLICY_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  {
    title: "shows a view that declares domains, and tries every way out",
    rules: ["SBX-04"],
    run: (target) =>
      withSandbox(target, { csp: CSP }, async (session) => [await judgeDeclared(session)]),
  },
  {
    title: "puts frames into views that declare some and none",
    rules: ["SBX-05", "SBX-07"],
    run: async (target) => {
      const [declared, none] = await Promise.all([nested(target, EVERYTHING), nested(target, CSP)]);
      const wrong = [
        ...(declared.undeclared.includes("frame")
          ? [`a frame of ${OUTSIDE.undeclared} is loaded, undeclared`]
          : []),
        ...(none.frame.includes("frame")
          ? [`a frame of ${OUTSIDE.frame} is loaded, although none is declared`]
          : []),
      ];
      const objects = [declared, none].flatMap(({ frame, undeclared, resource }) =>
        [...frame, ...undeclared, ...resource].filter((way) => way !== "frame"),
      );
      const loaded = [...new Set(objects)].map((way) => `<${way}> is loaded`);
      return [
        judge(
          "SBX-05",
          wrong,
          `${declared.frame.includes("frame") ? "Declared frames are" : "Not even declared frames are"} loaded, and no others.`,
        ),
        judge("SBX-07", loaded, "Neither <object> nor <embed> is loaded, whatever is declared."),
      ];
    },
  },
  {
    title: "sets the base address of views that declare one and none",
    rules: ["SBX-06"],
    run: async (target) => {
      const base = (csp: object): Promise<string> =>
        withSandbox(target, { csp }, async (session) =>
          (await session.shown()).evaluate((href) => {
            document.head.append(Object.assign(document.createElement("base"), { href }));
            return document.baseURI;
          }, `${OUTSIDE.base}/page/`),
        );
      const [declared, none] = await Promise.all([base(EVERYTHING), base(CSP)]);
      const faults = none.startsWith(OUTSIDE.base)
        ? [`<base href="${OUTSIDE.base}/"> has an effect, undeclared`]
        : [];
      const note = declared.startsWith(OUTSIDE.base)
        ? "a declared one has an effect"
        : "neither does a declared one";
      return [judge("SBX-06", faults, `An undeclared base has no effect; ${note}.`)];
    },
  },
  {
    title: "shows a view without metadata, and tries every way out",
    rules: ["SBX-08"],
    run: (target) => withSandbox(target, {}, async (session) => [await judgeDefault(session)]),
  },
];

async function judgeDeclared(session: SandboxSession): Promise<Finding> {
  const view = await session.shown();
  const faults: string[] = [];
  const { mark, mode } = await view.evaluate(() => ({
    mark: document.getElementById("mark")?.textContent ?? "",
    mode: document.compatMode,
  }));
  if (mark !== PROBE_MARK)
    faults.push(`the HTML contains "${mark}" where "${PROBE_MARK}" was sent`);
  if (mode !== "CSS1Compat") faults.push("the document lost its doctype");
  const [connect, resource, smuggled, undeclared] = await Promise.all([
    reaches(view, session.asked, OUTSIDE.connect, CONNECTING),
    reaches(view, session.asked, OUTSIDE.resource, LOADING),
    reaches(view, session.asked, OUTSIDE.connect, LOADING),
    reaches(view, session.asked, OUTSIDE.undeclared, UNDECLARED),
  ]);
  for (const way of undeclared) faults.push(`${way} reaches ${OUTSIDE.undeclared}, undeclared`);
  for (const way of smuggled)
    faults.push(`${way} reaches ${OUTSIDE.connect}, declared to connect only`);
  if (!connect.includes("fetch"))
    faults.push(`fetch does not reach the declared ${OUTSIDE.connect}`);
  if (!resource.includes("image"))
    faults.push(`no image loads from the declared ${OUTSIDE.resource}`);
  const note = `Declared origins are reached by ${[...connect, ...resource].join(", ")}; others by nothing.`;
  return judge("SBX-04", faults, note);
}

async function nested(
  target: SandboxTarget,
  csp: object,
): Promise<Record<"frame" | "undeclared" | "resource", Way[]>> {
  return withSandbox(target, { csp }, async (session) => {
    const view = await session.shown();
    const ways: Way[] = ["frame", "object", "embed"];
    const [frame, resource] = await Promise.all([
      reaches(view, session.asked, OUTSIDE.frame, ways),
      reaches(view, session.asked, OUTSIDE.resource, ["object", "embed"]),
    ]);
    // Last, because a sandbox may end a view that frames an undeclared origin.
    const undeclared = await reaches(view, session.asked, OUTSIDE.undeclared, ways).catch(() => []);
    return { frame, undeclared, resource };
  });
}

async function judgeDefault(session: SandboxSession): Promise<Finding> {
  const view = await session.shown();
  const colour = await view.evaluate(() => getComputedStyle(document.body).color);
  if (colour !== "rgb(1, 2, 3)") return absent("SBX-08", "Its own inline style has no effect.");
  const evaluates = await runsTextAsCode(view);
  const faults = evaluates ? ["it runs text as code, which the default doesn't allow"] : [];
  const reached = await reaches(view, session.asked, OUTSIDE.undeclared, [...UNDECLARED, "frame"]);
  for (const way of reached) faults.push(`${way} reaches ${OUTSIDE.undeclared}, undeclared`);
  const seen = await view.evaluate(() => probe.violations.length);
  return judge("SBX-08", faults, `Nothing is reached; the browser reported ${seen} violations.`);
}
