// How a view fits into its container.

import { STYLE_VARIABLES } from "@vitrine/protocol/apps";
import { asRecord, brief, type Json } from "../json.ts";
import { absent, broken, type Finding, judge, type Scenario } from "../scenario.ts";
import type { ViewSession } from "../targets/view-session.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { generousHost, withView } from "./view-setup.ts";

const SIZE = "ui/notifications/size-changed";

export const LAYOUT_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "lets the content grow",
    rules: ["VEW-11"],
    run: (target) =>
      withView(target, generousHost(target), async (session) => {
        await session.ready();
        await session.tell(target);
        await session.settled();
        const before = await sizes(session);
        await session.frame.evaluate(() => {
          const tall = document.createElement("div");
          tall.style.cssText = "height: 321px; flex: none";
          document.body.append(tall);
        });
        await session.settled();
        return [judgeSizes(before, await sizes(session))];
      }),
  },
  {
    title: "fixes the width, then caps the height",
    rules: ["VEW-25"],
    run: async (target) => [await judgeContainer(target)],
  },
  {
    title: "reads the host's variables in every style",
    rules: ["VEW-26"],
    run: (target) =>
      withView(target, { hostContext: { displayMode: "inline" } }, async (session) => {
        await session.ready();
        await session.tell(target);
        await session.settled();
        const { used, bare } = await session.frame.evaluate(readVariables, [...STYLE_VARIABLES]);
        if (used === 0) return [absent("VEW-26", "The view uses none of the host's variables.")];
        const faults = bare.map((name) => `var(${name}) has no fallback`);
        return [judge("VEW-26", faults, `${used} of the host's variables, each with a fallback.`)];
      }),
  },
];

async function sizes(session: ViewSession): Promise<Json[]> {
  return (await session.all(SIZE)).map(({ params }) => asRecord(params));
}

function judgeSizes(before: readonly Json[], after: readonly Json[]): Finding {
  if (after.length === 0) return broken("VEW-11", `${SIZE} never came`);
  const odd = after.find(({ width, height }) => [width, height].some(isOdd));
  if (odd) return broken("VEW-11", `${SIZE} has ${brief(odd)}`);
  const faults =
    after.length > before.length ? [] : ["its content grew by 321 px, but it did not report that"];
  return judge("VEW-11", faults, `${after.length} reports, the last ${brief(after.at(-1))}.`);
}

function isOdd(length: unknown): boolean {
  if (length === undefined) return false;
  return typeof length !== "number" || !Number.isFinite(length) || length < 0;
}

async function judgeContainer(target: ViewTarget): Promise<Finding> {
  const host = generousHost(target);
  const inside = (containerDimensions: Json): typeof host => ({
    ...host,
    hostContext: { ...host.hostContext, containerDimensions },
  });
  const faults: string[] = [];
  await withView(target, inside({ width: 360, height: 240 }), async (session) => {
    await session.resize(360, 240);
    await session.ready();
    await session.tell(target);
    await session.settled();
    const { width, height } = await session.frame.evaluate(() => ({
      width: document.documentElement.scrollWidth - innerWidth,
      height: document.documentElement.getBoundingClientRect().height - innerHeight,
    }));
    if (width > 1) faults.push(`${width} px wider than the available 360 px`);
    if (height < -1) faults.push(`${-Math.round(height)} px of the fixed height are not filled`);
  });
  await withView(target, inside({ width: 360, maxHeight: 60 }), async (session) => {
    await session.resize(360, 60);
    await session.ready();
    await session.tell(target);
    await session.settled();
    const over = (await sizes(session)).find(({ height }) => Number(height) > 60);
    if (over) faults.push(`it reports a height of ${over.height}, but the maximum is 60`);
  });
  return judge("VEW-25", faults, "A fixed container is filled, a maximum is not exceeded.");
}

/** In the view: the host's variables that its styles read, and those without a fallback. */
function readVariables(hostVariables: string[]): { used: number; bare: string[] } {
  const texts: string[] = [];
  for (const sheet of document.styleSheets) {
    try {
      for (const rule of sheet.cssRules) texts.push(rule.cssText);
    } catch {
      // A sheet of another origin can't be read.
    }
  }
  for (const element of document.querySelectorAll("[style]")) {
    texts.push(element.getAttribute("style") ?? "");
  }
  const css = texts.join("\n");
  const used = new Set<string>();
  const bare = new Set<string>();
  for (const [, name = "", end] of css.matchAll(/var\(\s*(--[\w-]+)\s*([,)])/g)) {
    if (!hostVariables.includes(name)) continue;
    used.add(name);
    // A variable that the view defines itself, for a host that sends none, is a fallback as well.
    const isDefined = new RegExp(`(^|[\\s;{])${name}\\s*:`).test(css);
    if (end === ")" && !isDefined) bare.add(name);
  }
  return { used: used.size, bare: [...bare] };
}
