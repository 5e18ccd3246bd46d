// The handshake, and the host's introduction in it.

import { STYLE_VARIABLES } from "@vitrine/protocol/apps";
import { asRecord, brief, isRecord, type Json } from "../json.ts";
import { absent, type Finding, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { withHost } from "./host-setup.ts";

const DELAY = 700;
const CONTEXT_KEYS = [
  "theme",
  "displayMode",
  "containerDimensions",
  "locale",
  "timeZone",
  "platform",
];

export const INITIALIZE_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "delays the end of the handshake, while the theme changes and the tool answers",
    rules: ["HST-40", "HST-41", "HST-42", "HST-63", "HST-84"],
    run: (target) => {
      const plan = { initializedAfter: DELAY, pingsFirst: true };
      return withHost(target, { parts: { plan } }, async (session) => {
        await session.view();
        if (session.has("setTheme")) await session.driver.setTheme?.(session.page, "dark");
        await session.page.setViewportSize({ width: 900, height: 700 });
        await session.greeted();
        const late = await session.request("ping");
        return [
          judgeAnswer(session),
          judgeContext(session),
          judgeSilence(session),
          judgeStyles(session),
          judgePing(session, late),
        ];
      });
    },
  },
];

function judgeAnswer({ greeting }: HostSession): Finding {
  const { protocolVersion, hostInfo, hostCapabilities, hostContext } = greeting;
  const faults = [
    ...(typeof protocolVersion === "string"
      ? []
      : [`protocolVersion is ${brief(protocolVersion)}`]),
    ...(typeof asRecord(hostInfo).name === "string" &&
    typeof asRecord(hostInfo).version === "string"
      ? []
      : [`hostInfo is ${brief(hostInfo)}`]),
    ...(isRecord(hostCapabilities) ? [] : [`hostCapabilities is ${brief(hostCapabilities)}`]),
    ...(isRecord(hostContext) ? [] : [`hostContext is ${brief(hostContext)}`]),
    ...Object.entries(asRecord(hostCapabilities))
      .filter(([, value]) => !isRecord(value))
      .map(([name, value]) => `hostCapabilities.${name} is ${brief(value)}, not an object`),
    ...contextFaults(asRecord(hostContext)),
  ];
  return judge("HST-40", faults, `MCP Apps ${protocolVersion}, ${brief(hostInfo)}.`);
}

const MODES = ["inline", "fullscreen", "pip"];

/** Values for which the official view SDK rejects the whole handshake. */
function contextFaults(context: Json): string[] {
  const { theme, displayMode, availableDisplayModes, platform, toolInfo, safeAreaInsets } = context;
  const odd = (name: string, value: unknown, known: readonly unknown[]): string[] =>
    value === undefined || known.includes(value) ? [] : [`hostContext.${name} is ${brief(value)}`];
  const modes: unknown[] = Array.isArray(availableDisplayModes) ? availableDisplayModes : [];
  const sides = ["top", "right", "bottom", "left"];
  return [
    ...odd("theme", theme, ["light", "dark"]),
    ...odd("displayMode", displayMode, MODES),
    ...odd("platform", platform, ["web", "desktop", "mobile"]),
    ...modes.flatMap((mode) => odd("availableDisplayModes", mode, MODES)),
    ...(toolInfo === undefined || isRecord(asRecord(asRecord(toolInfo).tool).inputSchema)
      ? []
      : ["hostContext.toolInfo has no tool with an inputSchema"]),
    ...(safeAreaInsets === undefined ||
    sides.every((side) => typeof safeAreaInsets?.[side] === "number")
      ? []
      : [`hostContext.safeAreaInsets is ${brief(safeAreaInsets)}`]),
    ...Object.entries(context)
      .filter(([, value]) => value === null)
      .map(([name]) => `hostContext.${name} is null`),
  ];
}

function judgeContext({ greeting }: HostSession): Finding {
  const context = asRecord(greeting.hostContext);
  const known = CONTEXT_KEYS.filter((name) => context[name] !== undefined);
  const faults = known.length > 0 ? [] : ["hostContext is empty"];
  return judge(
    "HST-41",
    faults,
    `It contains ${known.join(", ")}${context.toolInfo ? ", toolInfo" : ""}.`,
  );
}

function judgeSilence(session: HostSession): Finding {
  const end = session.log.lines.find(
    ({ way, message }) => way === "out" && message.method === "ui/notifications/initialized",
  );
  const early = session.log.lines.filter(
    ({ way, message, at }) =>
      way === "in" && message.method && at < (end?.at ?? Number.POSITIVE_INFINITY),
  );
  const methods = [...new Set(early.map(({ message }) => message.method))];
  const faults = methods.map((method) => `${method} came before initialized`);
  const what = session.has("setTheme") ? "The theme changed" : "The window's size changed";
  return judge("HST-42", faults, `${what} in the ${DELAY} ms before initialized; nothing came.`);
}

function judgeStyles({ greeting }: HostSession): Finding {
  const { styles } = asRecord(greeting.hostContext);
  const variables = asRecord(asRecord(styles).variables);
  const names = Object.keys(variables);
  if (names.length === 0) return absent("HST-63", "The host sends no style variables.");
  const known: readonly string[] = STYLE_VARIABLES;
  const strange = names.filter((name) => !known.includes(name));
  const colours = names.filter((name) => name.startsWith("--color-"));
  const fixed = colours.filter(
    (name) =>
      !/light-dark\(|^(var\(|transparent$|inherit$|currentcolor$)/i.test(
        String(variables[name]).trim(),
      ),
  );
  const faults = [
    ...strange.map((name) => `${name} is not a variable of the specification`),
    ...(fixed.length > 0
      ? [`${fixed.length} colours without light-dark(), such as ${fixed[0]}`]
      : []),
  ];
  return judge(
    "HST-63",
    faults,
    `${names.length} variables, ${colours.length} colours for both themes.`,
  );
}

function judgePing(session: HostSession, late: Json | null): Finding {
  const early = session.messages("in").find(({ id, method }) => id === "early" && !method);
  const faults = [
    ...(isRecord(early?.result) ? [] : [`before the handshake it was answered ${brief(early)}`]),
    ...(isRecord(late?.result) ? [] : [`after the handshake it was answered ${brief(late)}`]),
  ];
  return judge("HST-84", faults, "It is answered before the handshake and after it.");
}
