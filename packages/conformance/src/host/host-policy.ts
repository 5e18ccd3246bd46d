// What a host's policy allows a view to reach.

import type { Frame } from "playwright-core";
import { brief } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import type { Probe } from "../targets/probe-view.ts";
import {
  CONNECTING,
  LOADING,
  OUTSIDE,
  reaches,
  runsTextAsCode,
  type Way,
} from "../targets/reach.ts";
import { withHost } from "./host-setup.ts";

declare const probe: Probe;

const CSP = {
  connectDomains: [OUTSIDE.connect, OUTSIDE.connect.replace("https", "wss")],
  resourceDomains: [OUTSIDE.resource],
};
const ALL: readonly Way[] = [
  ...CONNECTING,
  ...LOADING,
  "form",
  "prefetch",
  "frame",
  "object",
  "embed",
];

export const POLICY_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "shows a view that declares domains, and tries every way out",
    rules: ["HST-25", "HST-27", "HST-28", "HST-29", "HST-30", "HST-31", "HST-32"],
    run: (target) => withHost(target, { parts: { served: { csp: CSP } } }, judgeDeclared),
  },
  {
    title: "shows a view without declarations, and tries every way out",
    rules: ["HST-26"],
    run: (target) => withHost(target, {}, async (session) => [await judgeDefault(session)]),
  },
];

async function judgeDeclared(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const view = await session.view();
  // First: the browser's own errors name domains too.
  const told = await whatIsTold(session);
  const go = (origin: string, ways: readonly Way[]): Promise<Way[]> =>
    reaches(view, session.asked, origin, ways);
  const [connect, resource] = await Promise.all([
    go(OUTSIDE.connect, CONNECTING),
    go(OUTSIDE.resource, LOADING),
  ]);
  const [images, fetches] = await Promise.all([
    go(OUTSIDE.connect, LOADING),
    go(OUTSIDE.resource, CONNECTING),
  ]);
  // Last, because a host may end a view for some of these.
  const undeclared = await go(OUTSIDE.undeclared, ALL).catch((): Way[] => []);
  const violations = await view.evaluate(() => probe.violations.length).catch(() => 1);
  const left = await leaves(session, view);
  const { csp: granted } = session.capabilities.sandbox ?? {};
  return [
    judge(
      "HST-25",
      [
        ...(connect.includes("fetch")
          ? []
          : [`fetch does not reach the declared ${OUTSIDE.connect}`]),
        ...(resource.includes("image")
          ? []
          : [`no image loads from the declared ${OUTSIDE.resource}`]),
      ],
      `Declared origins are reached by ${[...connect, ...resource].join(", ")}.`,
    ),
    judge(
      "HST-27",
      [
        ...images.map(
          (way) => `${way} reaches ${OUTSIDE.connect}, which is declared to connect only`,
        ),
        ...fetches.map(
          (way) => `${way} reaches ${OUTSIDE.resource}, which is declared for resources only`,
        ),
        ...undeclared.map((way) => `${way} reaches ${OUTSIDE.undeclared}, which is not declared`),
      ],
      "No domain is allowed that was not declared for the purpose.",
    ),
    judge(
      "HST-28",
      violations > 0 ? [] : ["no policy blocked anything undeclared"],
      `The browser reported ${violations} violations to the view.`,
    ),
    judge(
      "HST-29",
      [
        ...undeclared.map((way) => `${way} reaches ${OUTSIDE.undeclared}`),
        ...(left ? [`the view navigated to ${OUTSIDE.undeclared}`] : []),
      ],
      `None of ${ALL.length} ways led out, and the view did not navigate.`,
    ),
    ...told,
    holds("HST-32", `The view's grants: ${brief(granted)}.`),
  ];
}

/** Whether the view's document can be replaced by one of an undeclared origin. */
async function leaves(session: HostSession, view: Frame): Promise<boolean> {
  const url = `${OUTSIDE.undeclared}/page/left`;
  await view
    .evaluate((href) => {
      setTimeout(() => {
        location.href = href;
      });
    }, url)
    .catch(() => {});
  await session.quiet(600);
  return session.asked.includes(url);
}

async function whatIsTold(session: HostSession): Promise<Finding[]> {
  const name = new URL(OUTSIDE.connect).host;
  const log = session.has("log") ? await session.driver.log?.(session.page) : undefined;
  const written = [...(log ?? []), ...session.console];
  const isWritten = written.some((line) => line.includes(name));
  const isShown = (await session.pageText()).includes(name);
  const nowhere = `${name} is neither in the console nor in the driver's log`;
  return [
    isWritten || log
      ? judge("HST-30", isWritten ? [] : [nowhere], `${name} is in the host's log.`)
      : absent("HST-30", "The location of the host's log can't be seen."),
    judge(
      "HST-31",
      isShown ? [] : [`the page doesn't show that the view needs ${name}`],
      `The page shows ${name}.`,
    ),
  ];
}

async function judgeDefault(session: HostSession): Promise<Finding> {
  await session.greeted();
  const view = await session.view();
  const evaluates = await runsTextAsCode(view);
  const reached = await reaches(view, session.asked, OUTSIDE.undeclared, ALL);
  const faults = [
    ...reached.map((way) => `${way} reaches ${OUTSIDE.undeclared}`),
    ...(evaluates ? ["text is run as code, which the default doesn't allow"] : []),
  ];
  return judge(
    "HST-26",
    faults,
    "Inline scripts run; nothing is reached, and no text is run as code.",
  );
}
