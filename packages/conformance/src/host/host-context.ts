// Sizes, themes and display modes.

import { asRecord, brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { withHost } from "./host-setup.ts";

const CHANGED = "ui/notifications/host-context-changed";
const SIZE = "ui/notifications/size-changed";
const REQUEST = "ui/request-display-mode";
const MODES = ["inline", "fullscreen", "pip"];

export const HOST_CONTEXT_SCENARIOS: readonly Scenario<HostTarget>[] = [
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
        const change = await session.received(CHANGED, 2000);
        const keys = Object.keys(asRecord(change?.params));
        return [
          holds("HST-55", change ? `A change contains ${keys.join(", ")}.` : "No change is sent."),
        ];
      }),
  },
  {
    title: "reports sizes that grow, shrink and are invalid",
    rules: ["HST-56", "HST-57"],
    run: (target) => withHost(target, {}, judgeSizes),
  },
  {
    title: "shows a view that supports one display mode",
    rules: ["HST-58", "HST-61"],
    run: (target) => {
      const plan = { appCapabilities: { availableDisplayModes: ["inline"] } };
      return withHost(target, { parts: { plan } }, judgeUndeclared);
    },
  },
  {
    title: "requests display modes that are offered, and one that isn't",
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
    // Hosts may animate it.
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
    ...(odd.height > 0 && odd.height < 2000 ? [] : [`invalid sizes made it ${odd.height} high`]),
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
          `333, 120 and invalid sizes led to ${tall.height}, ${short.height} and ${odd.height}.`,
        ),
    isFixed("height") || isFixed("width")
      ? judge("HST-57", fixed, told)
      : absent("HST-57", `No side is fixed. ${told}`),
  ];
}

/** The mode that the view was last notified of. */
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
    const note = "The host only offers inline.";
    return [absent("HST-58", note), absent("HST-61", note)];
  }
  const [mode = ""] = others;
  const { reply } = await session.ask(REQUEST, { mode });
  const faults =
    modeOf(session) === "inline" ? [] : [`requested by the view, it went to ${modeOf(session)}`];
  const canSwitch = session.has("setDisplayMode");
  if (canSwitch) {
    await session.driver.setDisplayMode?.(session.page, mode);
    await session.quiet();
    if (modeOf(session) !== "inline" && faults.length === 0) {
      faults.push(`with the host's own button it went to ${modeOf(session)}`);
    }
  }
  const how = canSwitch
    ? "on the view's request or with the host's button"
    : "on the view's request";
  return [
    judge("HST-58", faults, `A view that only supports inline stays there, ${how}.`),
    holds(
      "HST-61",
      `Asked for ${mode}, which the view had not declared: ${brief(reply?.result ?? reply?.error)}.`,
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
    untold.push(`it went to ${now}, and the view was last notified of ${modeOf(session)}`);
  }
  const missing = MODES.find((mode) => !modes.includes(mode)) ?? "theatre";
  const before = modeOf(session);
  const refused = (await session.ask(REQUEST, { mode: missing })).reply;
  const isSame = refused?.result?.mode === before || refused?.result?.mode === now;
  const moved = now !== undefined && now !== "inline";
  return [
    judge("HST-59", faults, `Asked for ${wanted}, the host answered ${brief(reply?.result)}.`),
    judge(
      "HST-60",
      isSame ? [] : [`${missing}, which is not offered, was answered ${brief(refused)}`],
      `${missing}, which is not offered, was answered ${brief(refused?.result)}.`,
    ),
    moved
      ? judge("HST-62", untold, `${CHANGED} announced ${now}.`)
      : absent(
          "HST-62",
          other ? "The host did not change the mode." : "The host offers one mode only.",
        ),
  ];
}
