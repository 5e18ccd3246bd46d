// A view's handshake, and its handling of unknown messages.

import { pause } from "../deadline.ts";
import { brief, isRecord, type Json } from "../json.ts";
import { broken, type Finding, judge, type Scenario } from "../scenario.ts";
import type { ViewSession } from "../targets/view-session.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { generousHost, POOR_HOST, withView } from "./view-setup.ts";

const INITIALIZE = "ui/initialize";
const INITIALIZED = "ui/notifications/initialized";

export const HANDSHAKE_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "reads the params of ui/initialize",
    rules: ["VEW-01"],
    run: (target) =>
      withView(target, POOR_HOST, async (session) => {
        if (!(await session.waitFor(INITIALIZE))) return [silent("VEW-01", session)];
        const params = await session.greeting();
        return [
          judge(
            "VEW-01",
            greetingFaults(params),
            "It sends appCapabilities, appInfo and its version.",
          ),
        ];
      }),
  },
  {
    title: "observes the order of the handshake",
    rules: ["VEW-02"],
    run: (target) =>
      withView(target, generousHost(target), async (session) => {
        if (!(await session.waitFor(INITIALIZE))) return [silent("VEW-02", session)];
        if (!(await session.waitFor(INITIALIZED))) {
          const [error = "it threw nothing"] = session.errors;
          return [broken("VEW-02", `${INITIALIZED} never came (${error})`)];
        }
        await session.settled();
        return [
          judge(
            "VEW-02",
            orderFaults(await methodsOf(session)),
            "It sends ui/initialize, gets the response, confirms, and only then continues.",
          ),
        ];
      }),
  },
  {
    title: "presses everything before the handshake ends, and then sends the tool's data",
    rules: ["VEW-27"],
    run: async (target) => {
      const early = await saidEarly(target);
      if ("rule" in early) return [early];
      const faults = early.methods.map((method) => `${method} before the handshake ended`);
      if (await losesFirstData(target))
        faults.push("data sent at the end of the handshake is lost");
      return [judge("VEW-27", faults, "It waits for the host's response, and is ready by then.")];
    },
  },
  {
    title: "sends messages that a view need not support",
    rules: ["VEW-28"],
    run: (target) =>
      withView(target, POOR_HOST, async (session) => {
        await session.ready();
        return [
          judge(
            "VEW-28",
            await strangenessFaults(session),
            "It answers ping, rejects unknown requests, and survives invalid messages.",
          ),
        ];
      }),
  },
];

/** The view's messages besides its introduction while the host delays. */
function saidEarly(target: ViewTarget): Promise<Finding | { methods: string[] }> {
  return withView(target, { ...generousHost(target), hesitates: true }, async (session) => {
    if (!(await session.waitFor(INITIALIZE))) return silent("VEW-27", session);
    await session.pressEverything();
    await pause(300);
    const methods = (await methodsOf(session)).filter((method) => !isGreeting(method));
    return { methods: [...new Set(methods)] };
  });
}

/** Whether a view that shows its data doesn't when the host is as fast as possible. */
async function losesFirstData(target: ViewTarget): Promise<boolean> {
  const host = generousHost(target);
  const [before, late] = await withView(target, host, async (session) => {
    await session.ready();
    await session.settled();
    const empty = await session.text();
    await session.tell(target);
    await session.settled();
    return [empty, await session.text()];
  });
  const tool = (name: string, params: Json): Json => ({
    jsonrpc: "2.0",
    method: `ui/notifications/tool-${name}`,
    params,
  });
  const atOnce = [tool("input", { arguments: target.input }), tool("result", target.result)];
  return withView(target, { ...host, atOnce }, async (session) => {
    await session.ready();
    await session.settled();
    return late !== before && (await session.text()) === before;
  });
}

function silent(rule: string, { errors: [error] }: ViewSession): Finding {
  return broken(rule, `${INITIALIZE} never came${error ? `: ${error}` : ""}`);
}

function greetingFaults({ appCapabilities, appInfo, protocolVersion, ...rest }: Json): string[] {
  const faults: string[] = [];
  if (!isRecord(appCapabilities)) {
    const instead = "capabilities" in rest ? "; they are under `capabilities`" : "";
    faults.push(`appCapabilities is ${brief(appCapabilities)}, not an object${instead}`);
  }
  if (
    !isRecord(appInfo) ||
    typeof appInfo.name !== "string" ||
    typeof appInfo.version !== "string"
  ) {
    faults.push(`appInfo is ${brief(appInfo)}, without name and version`);
  }
  if (typeof protocolVersion !== "string") {
    faults.push(`protocolVersion is ${brief(protocolVersion)}`);
  }
  return faults;
}

function isGreeting(method: string): boolean {
  return method === INITIALIZE || method === "ping" || method === "notifications/cancelled";
}

function orderFaults(methods: readonly string[]): string[] {
  const initialized = methods.indexOf(INITIALIZED);
  const faults = methods
    .slice(0, initialized)
    .filter((method) => !isGreeting(method))
    .map((method) => `${method} came before ${INITIALIZED}`);
  if (methods.indexOf(INITIALIZE) > initialized) faults.push(`${INITIALIZED} came first`);
  // A page may introduce itself twice, as in React's strict mode, but never confirm more often than
  // that.
  const count = (name: string): number => methods.filter((method) => method === name).length;
  if (count(INITIALIZED) > count(INITIALIZE)) faults.push(`${INITIALIZED} came more than once`);
  return faults;
}

/** Methods in order, without responses. */
async function methodsOf(session: ViewSession): Promise<string[]> {
  const received = session.received;
  return received.flatMap(({ message }) => message.method ?? []);
}

/** Invalid messages that a view must survive: a host's page gets messages from anyone. */
const NONSENSE: readonly unknown[] = [
  "text",
  42,
  null,
  [],
  {},
  { jsonrpc: "1.0", id: 1, method: "ping" },
  { jsonrpc: "2.0" },
  { jsonrpc: "2.0", id: 99_999, result: {} },
  { jsonrpc: "2.0", id: 99_998, error: { code: -1, message: "To nothing you asked" } },
  { jsonrpc: "2.0", method: 7 },
  { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: "text" },
  { jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: null },
];

async function strangenessFaults(session: ViewSession): Promise<string[]> {
  const faults: string[] = [];
  const ping = await session.request("ping");
  if (!isRecord(ping?.result)) faults.push(`ping is answered with ${brief(ping)}`);
  const unknown = await session.request("vendor.example/unknown", {});
  const code = unknown?.error?.code;
  if (code !== -32601) faults.push(`an unknown request is answered with ${brief(unknown)}`);
  const before = session.received.length;
  await session.notify("vendor.example/unknown-notification", { value: 1 });
  await session.settled();
  const said = session.received.slice(before).filter(({ message }) => "error" in message);
  if (said.length > 0)
    faults.push(`an unknown notification is answered: ${brief(said[0]?.message)}`);
  for (const message of NONSENSE) await session.send(message);
  await session.settled();
  if (!(await session.isAlive())) faults.push("after malformed messages it stops responding");
  for (const error of new Set(session.errors)) faults.push(`uncaught: ${error}`);
  return faults;
}
