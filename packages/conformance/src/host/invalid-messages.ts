// How a host handles invalid messages.

import { createHash } from "node:crypto";
import { brief, type Json } from "../json.ts";
import { absent, type Finding, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { probeDocument } from "../targets/probe-view.ts";
import { tool, withHost } from "./host-setup.ts";

export const INVALID_MESSAGE_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "sends malformed messages, and some that bypass the sandbox",
    rules: ["HST-34"],
    run: (target) =>
      withHost(target, { parts: { tools: [{ tool: tool("target") }] } }, async (session) => [
        await judgeValidation(session),
      ]),
  },
  {
    title: "searches the host's log for the view's hash",
    rules: ["HST-35"],
    run: (target) =>
      withHost(target, {}, async (session) => {
        await session.greeted();
        if (!session.has("log")) {
          return [
            absent("HST-35", "Whether the host reviews the HTML can't be seen from outside."),
          ];
        }
        const log = (await session.driver.log?.(session.page)) ?? [];
        const hash = createHash("sha256").update(probeDocument({ greets: true }));
        const digest = hash.digest();
        const forms = [
          digest.toString("hex"),
          digest.toString("base64"),
          digest.toString("base64url"),
        ];
        // Hashes are often written without padding, or shortened.
        const isThere = log.some((line) =>
          forms.some((form) => line.includes(form.replace(/=+$/, ""))),
        );
        const faults = isThere ? [] : ["its log doesn't contain the hash of the view's document"];
        return [judge("HST-35", faults, "Its log contains the hash of the view's document.")];
      }),
  },
];

const NONSENSE: readonly unknown[] = [
  "a string",
  7,
  null,
  [],
  [{ jsonrpc: "2.0", id: 1, method: "ping" }],
  {},
  { jsonrpc: "1.0", id: 2, method: "tools/call", params: { name: "target", arguments: {} } },
  { id: 3, method: "tools/call", params: { name: "target", arguments: {} } },
  { jsonrpc: "2.0", method: 7 },
  { jsonrpc: "2.0", id: {}, method: "tools/call", params: { name: "target" } },
  { jsonrpc: "2.0", id: 4 },
  { jsonrpc: "2.0", id: 999_999, result: { nobody: "asked" } },
  {
    jsonrpc: "2.0",
    method: "ui/notifications/size-changed",
    params: { width: "wide", height: {} },
  },
  { jsonrpc: "2.0", method: "ui/notifications/size-changed", params: null },
];

// Each has a name that no server should ever receive.
const BAD_CALLS: readonly Json[] = [
  { arguments: { from: "no name" } },
  { name: 7, arguments: {} },
  { name: { toString: "target" }, arguments: {} },
  { name: "target", arguments: "text" },
];

async function judgeValidation(session: HostSession): Promise<Finding> {
  await session.greeted();
  const before = session.server.asked("tools/call").length;
  await session.send(...NONSENSE);
  const answers = await Promise.all(
    BAD_CALLS.map((params) => session.request("tools/call", params, 4000)),
  );
  // Bypasses the sandbox, directly to the host's page: the source isn't the known frame.
  await (await session.view()).evaluate(() => {
    const params = { name: "target", arguments: { from: "past the Sandbox" } };
    top?.postMessage({ jsonrpc: "2.0", id: 5000, method: "tools/call", params }, "*");
  });
  await session.quiet(600);
  const calls = session.server.asked("tools/call").slice(before);
  const isAlive = (await session.request("ping"))?.result !== undefined;
  const faults = [
    ...calls.map(
      (params) => `the server got tools/call with ${brief({ ...params, _meta: undefined })}`,
    ),
    ...answers.flatMap((answer, index) =>
      answer?.error || answer?.result?.isError
        ? []
        : [`tools/call with ${brief(BAD_CALLS[index])} was answered ${brief(answer)}`],
    ),
    ...session.errors.map((error) => `uncaught in the host's page: ${error}`),
    ...(isAlive ? [] : ["the view gets no more responses"]),
  ];
  return judge(
    "HST-34",
    faults,
    `${NONSENSE.length + BAD_CALLS.length} malformed messages, none executed.`,
  );
}
