// The messages between host and view.

import { isDeepStrictEqual } from "node:util";
import { brief, type Json } from "../json.ts";
import { type Finding, judge, type Scenario } from "../scenario.ts";
import { PROXY_READY } from "../targets/sandbox-page.ts";
import type { SandboxSession } from "../targets/sandbox-session.ts";
import type { SandboxTarget } from "../targets/sandbox-target.ts";
import { withSandbox } from "./sandbox-setup.ts";

const RESERVED = "ui/notifications/sandbox-";
const GREETING = {
  jsonrpc: "2.0",
  id: 0,
  method: "ui/initialize",
  params: {
    protocolVersion: "2026-01-26",
    appInfo: { name: "x", version: "1" },
    appCapabilities: {},
  },
};

/**
 * One of each type: known and unknown methods, responses and errors, unusual ids, nearly reserved
 * names.
 */
function messages(side: string): Json[] {
  const nested = { list: [1, null, { text: "ü – 漢" }], empty: {}, no: false };
  return [
    { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: nested } },
    { jsonrpc: "2.0", method: "ui/notifications/initialized" },
    { jsonrpc: "2.0", method: `conformance/${side}`, params: { nested } },
    { jsonrpc: "2.0", method: "ui/notifications/sandboxed", params: {} },
    { jsonrpc: "2.0", method: "ui/sandbox-view", params: {} },
    { jsonrpc: "2.0", id: 0, method: "ping" },
    {
      jsonrpc: "2.0",
      id: "a string",
      method: "tools/call",
      params: { name: "x", arguments: nested },
    },
    { jsonrpc: "2.0", id: 7, result: nested },
    { jsonrpc: "2.0", id: "eight", error: { code: -32000, message: "No.", data: nested } },
  ];
}

export const RELAY_SCENARIOS: readonly Scenario<SandboxTarget>[] = [
  {
    title: "sends messages of every type both ways",
    rules: ["SBX-10", "SBX-11", "SBX-13"],
    run: (target) =>
      withSandbox(target, {}, async (session) => {
        await session.shown();
        const toView = messages("to-view");
        const toHost = [GREETING, ...messages("to-host")];
        await session.send(...toView);
        await session.sendFromView(...toHost);
        await settled(session, toView.length, toHost.length);
        const atView = session.viewReceived();
        const atHost = session.relayed();
        return [
          judge(
            "SBX-10",
            lost(toView, atView),
            `${toView.length} messages arrived unchanged, in order.`,
          ),
          judge(
            "SBX-11",
            lost(toHost, atHost),
            `${toHost.length} messages arrived unchanged, in order.`,
          ),
          judgeOwnRequests({ toView, toHost, atView, atHost }),
        ];
      }),
  },
  {
    title: "sends messages with the reserved prefix both ways",
    rules: ["SBX-12"],
    run: (target) =>
      withSandbox(target, {}, async (session) => {
        await session.shown();
        const words = ["proxy-ready", "resource-ready", "anything"];
        const reserved = words.map((word) => ({
          jsonrpc: "2.0",
          method: RESERVED + word,
          // Would be shown if it were accepted as a resource.
          params: { html: "<!doctype html><p>Another document" },
        }));
        const last = { jsonrpc: "2.0", method: "conformance/last" };
        await session.sendFromView(...reserved, last);
        // Not one that the sandbox itself handles: the rule doesn't cover a second resource.
        await session.send(reserved[2], { ...reserved[2], id: 5 }, reserved[0], last);
        await settled(session, 1, 1);
        const ready = session.received.filter(({ message }) => message.method === PROXY_READY);
        const forged = [...session.relayed(), ...ready.slice(1).map(({ message }) => message)];
        const faults = [
          ...forged
            .filter(isReserved)
            .map(({ method }) => `${method} of the view reaches the host`),
          ...session
            .viewReceived()
            .filter(isReserved)
            .map(({ method }) => `${method} of the host reaches the view`),
        ];
        return [judge("SBX-12", [...new Set(faults)], "None of them passes, in either direction.")];
      }),
  },
];

function isReserved({ method }: Json): boolean {
  return typeof method === "string" && method.startsWith(RESERVED);
}

/** Waits until both sides have received this many messages, or for a while. */
async function settled(session: SandboxSession, atView: number, atHost: number): Promise<void> {
  for (let round = 0; round < 40; round++) {
    const isDone = session.viewReceived().length >= atView && session.relayed().length >= atHost;
    await session.quiet(isDone ? 200 : 50);
    if (isDone) return;
  }
}

/** Messages that are missing, changed or out of order. */
function lost(sent: readonly Json[], received: readonly Json[]): string[] {
  const faults: string[] = [];
  let from = 0;
  for (const message of sent) {
    const at = received.findIndex((one) => isDeepStrictEqual(one, message));
    if (at < 0) faults.push(`${brief(message)} did not arrive unchanged`);
    else if (at < from) faults.push(`${brief(message)} overtook another`);
    else from = at;
  }
  return faults;
}

interface Traffic {
  toView: readonly Json[];
  toHost: readonly Json[];
  atView: readonly Json[];
  atHost: readonly Json[];
}

function judgeOwnRequests({ toView, toHost, atView, atHost }: Traffic): Finding {
  const made = (received: readonly Json[], sent: readonly Json[], side: string): string[] =>
    received
      .filter((message) => typeof message.method === "string" && "id" in message)
      .filter(
        (message) => !sent.some(({ id, method }) => id === message.id && method === message.method),
      )
      .map((message) => `${side} got ${brief(message)}, which was never sent`);
  const faults = [...made(atHost, toHost, "the host"), ...made(atView, toView, "the view")];
  return judge("SBX-13", faults, "Every request had been sent by the other side.");
}
