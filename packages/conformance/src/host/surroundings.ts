// Sizes, themes and display modes.

import { asRecord, brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { withHost } from "./stage.ts";

const CHANGED = "ui/notifications/host-context-changed";
const SIZE = "ui/notifications/size-changed";
const REQUEST = "ui/request-display-mode";
const MODES = ["inline", "fullscreen", "pip"];

export const SURROUNDING_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "changes the theme",
    rules: ["HST-55"],
    run: (target) =>
      withHost(target, {}, async (session) => {
        await session.greeted();
        const { theme } = asRecord(session.greeting.hostContext);
        const next = theme === "dark" ? "light" : "dark";
        if (session.has("setTheme")) await session.driver.setTheme?.(session.page, next);
        else await session.page.emulateMedia({ colorScheme: next });
        const change = await session.heard(CHANGED, 2000);
        const keys = Object.keys(asRecord(change?.params));
        return [
          holds("HST-55", change ? `A change brings ${keys.join(", ")}.` : "Nothing is told."),
        ];
      }),
  },
  {
    title: "reports sizes that grow, shrink and make no sense",
    rules: ["HST-56", "HST-57"],
    run: (target) => withHost(target, {}, judgeSizes),
  },
  {
    title: "shows a View that is made for one display mode",
    rules: ["HST-58", "HST-61"],
    run: (target) => {
      const plan = { appCapabilities: { availableDisplayModes: ["inline"] } };
      return withHost(target, { parts: { plan } }, judgeUndeclared);
    },
  },
  {
    title: "asks for display modes that are offered, and for one that is not",
    rules: ["HST-59", "HST-60", "HST-62"],
    run: (target) => {
      const plan = { appCapabilities: { availableDisplayModes: MODES } };
      return withHost(target, { parts: { plan } }, judgeModes);
    },
  },
];

async function sizeOf(session: HostSession): Promise<{ width: number; height: number }> {
  const outer = (await session.framesAround()).at(-1);
  const box = await (await outer?.frame.frameElement())?.boundingBox();
  return { width: Math.round(box?.width ?? 0), height: Math.round(box?.height ?? 0) };
}

async function judgeSizes(session: HostSession): Promise<Finding[]> {
  const { hostContext } = await session.greeted();
  const dimensions = asRecord(asRecord(hostContext).containerDimensions);
  const report = async (params: Json): Promise<{ width: number; height: number }> => {
    await session.send({ jsonrpc: "2.0", method: SIZE, params });
    let size = await sizeOf(session);
    // Hosts may draw it slowly.
    for (let round = 0; round < 8; round++) {
      await session.quiet(100);
      const now = await sizeOf(session);
      if (round > 3 && now.height === size.height) break;
      size = now;
    }
    return size;
  };
  const before = await sizeOf(session);
  const tall = await report({ width: before.width, height: 333 });
  const short = await report({ width: 70, height: 120 });
  await session.send(
    { jsonrpc: "2.0", method: SIZE, params: { width: Number.NaN, height: Number.NaN } },
    { jsonrpc: "2.0", method: SIZE, params: { width: -5, height: -5 } },
    { jsonrpc: "2.0", method: SIZE, params: { height: Number.POSITIVE_INFINITY } },
  );
  await session.quiet(500);
  const odd = await sizeOf(session);
  const isFixed = (axis: "width" | "height"): boolean => typeof dimensions[axis] === "number";
  const near = (value: number, wanted: number): boolean => Math.abs(value - wanted) <= 40;
  const flexible = [
    ...(near(tall.height, 333) ? [] : [`a report of 333 px made it ${tall.height} high`]),
    ...(near(short.height, 120) ? [] : [`a report of 120 px after that made it ${short.height}`]),
    ...(odd.height > 0 && odd.height < 2000
      ? []
      : [`sizes that are none made it ${odd.height} high`]),
  ];
  const fixed = [
    ...(isFixed("height") && short.height !== before.height
      ? ["a report changed the fixed height"]
      : []),
    ...(isFixed("width") && short.width !== before.width
      ? ["a report changed the fixed width"]
      : []),
  ];
  const told = `The container is ${brief(dimensions)}.`;
  return [
    isFixed("height")
      ? absent("HST-56", `The height is fixed. ${told}`)
      : judge(
          "HST-56",
          flexible,
          `333, 120 and nonsense came to ${tall.height}, ${short.height} and ${odd.height}.`,
        ),
    isFixed("height") || isFixed("width")
      ? judge("HST-57", fixed, told)
      : absent("HST-57", `No side is fixed. ${told}`),
  ];
}

/** The mode that the View was last told of. */
function modeOf(session: HostSession): unknown {
  const changes = session.messages("in", CHANGED).map(({ params }) => params?.displayMode);
  const { displayMode } = asRecord(session.greeting.hostContext);
  return changes.findLast((mode) => mode !== undefined) ?? displayMode ?? "inline";
}

function offered(session: HostSession): string[] {
  const { availableDisplayModes } = asRecord(session.greeting.hostContext);
  return Array.isArray(availableDisplayModes) ? availableDisplayModes : [];
}

async function judgeUndeclared(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const others = offered(session).filter((mode) => mode !== "inline");
  if (others.length === 0) {
    const note = "The Host offers no mode but inline.";
    return [absent("HST-58", note), absent("HST-61", note)];
  }
  const [mode = ""] = others;
  const { reply } = await session.ask(REQUEST, { mode });
  const faults =
    modeOf(session) === "inline" ? [] : [`asked by the View, it went to ${modeOf(session)}`];
  const canSwitch = session.has("setDisplayMode");
  if (canSwitch) {
    await session.driver.setDisplayMode?.(session.page, mode);
    await session.quiet();
    if (modeOf(session) !== "inline" && faults.length === 0) {
      faults.push(`by the Host's own button it went to ${modeOf(session)}`);
    }
  }
  const how = canSwitch ? "by the View's wish or the Host's button" : "by the View's wish";
  return [
    judge("HST-58", faults, `A View for inline alone stays there, ${how}.`),
    holds(
      "HST-61",
      `Asked for ${mode}, which the View had not declared: ${brief(reply?.result ?? reply?.error)}.`,
    ),
  ];
}

async function judgeModes(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const modes = offered(session);
  const faults: string[] = [];
  const untold: string[] = [];
  const other = modes.find((mode) => mode !== modeOf(session));
  const wanted = other ?? "fullscreen";
  const { reply } = await session.ask(REQUEST, { mode: wanted });
  await session.quiet(500);
  const now = reply?.result?.mode;
  if (!MODES.includes(now)) faults.push(`${REQUEST} of ${wanted} was answered ${brief(reply)}`);
  if (now !== undefined && now !== "inline" && modeOf(session) !== now) {
    untold.push(`it went to ${now}, and the View was last told ${modeOf(session)}`);
  }
  const missing = MODES.find((mode) => !modes.includes(mode)) ?? "theatre";
  const before = modeOf(session);
  const refused = (await session.ask(REQUEST, { mode: missing })).reply;
  const isSame = refused?.result?.mode === before || refused?.result?.mode === now;
  const moved = now !== undefined && now !== "inline";
  return [
    judge("HST-59", faults, `Asked for ${wanted}, the Host answered ${brief(reply?.result)}.`),
    judge(
      "HST-60",
      isSame ? [] : [`${missing}, which is not offered, was answered ${brief(refused)}`],
      `${missing}, which is not offered, was answered ${brief(refused?.result)}.`,
    ),
    moved
      ? judge("HST-62", untold, `${CHANGED} told of ${now}.`)
      : absent(
          "HST-62",
          other ? "The Host did not change the mode." : "The Host offers one mode only.",
        ),
  ];
}
