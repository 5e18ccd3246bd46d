// Which tools a view and a model may use, and the limits of a view's connection.

import { asRecord, brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import type { ProbeTool, ProbeToolCall } from "../targets/probe-server.ts";
import { isRefusal, offer, tool, VIEW, withHost } from "./host-setup.ts";

const visible = (...visibility: string[]): Json => ({ _meta: { ui: { visibility } } });
const TOOLS: readonly ProbeTool[] = [
  { tool: tool("app-only", visible("app")) },
  { tool: tool("model-only", visible("model")) },
  { tool: tool("unmarked") },
  { tool: tool("on-both") },
];

export const VISIBILITY_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "calls tools of every visibility from the view",
    rules: ["HST-08", "HST-09", "HST-11", "HST-12"],
    run: (target) =>
      withHost(target, { parts: { tools: TOOLS } }, async (session) => {
        await session.greeted();
        const [appOnly, modelOnly, unmarked] = await Promise.all(
          ["app-only", "model-only", "unmarked"].map((name) =>
            session.request("tools/call", { name, arguments: {} }),
          ),
        );
        const offered = session.has("modelTools")
          ? await session.driver.modelTools?.(session.page)
          : undefined;
        return [
          judgeModelTools(offered),
          judgeRefused(session, modelOnly ?? null, appOnly ?? null),
          judgeUnmarked(unmarked ?? null, offered),
          await tellForwarded(session),
        ];
      }),
  },
  {
    title: "shows views of two servers and calls the other one's tools",
    rules: ["HST-10"],
    run: (target) =>
      withHost(target, { parts: { tools: TOOLS } }, async (session) => [
        await judgeOwnServer(session),
      ]),
  },
  {
    title: "uses the view's connection with all of MCP's features",
    rules: ["HST-13"],
    run: async (target) => [await judgeConnection(target)],
  },
  {
    title: "calls a tool that changes things",
    rules: ["HST-14"],
    run: (target) => {
      const tools = [{ tool: tool("writes", { annotations: { destructiveHint: true } }) }];
      return withHost(target, { parts: { tools } }, async (session) => {
        await session.greeted();
        const params = { name: "writes", arguments: { all: true } };
        const { reply, asked } = await session.ask("tools/call", params, { answer: "deny" });
        const called = session.server.callsOf("writes").length > 0;
        const what = asked ? "asks its user" : called ? "does not ask" : `rejects: ${brief(reply)}`;
        return [holds("HST-14", `Before a destructive tool the host ${what}.`)];
      });
    },
  },
];

function judgeModelTools(offered: readonly string[] | undefined): Finding {
  if (!offered) return absent("HST-08", "The driver doesn't report the model's tools.");
  const faults = offered.includes("app-only") ? ['the model is offered a tool for ["app"]'] : [];
  const missing = ["model-only", "show"].filter((name) => !offered.includes(name));
  if (missing.length > 0) return absent("HST-08", `The model isn't offered ${missing.join(", ")}.`);
  return judge("HST-08", faults, `The model is offered ${brief(offered)}.`);
}

function judgeRefused(session: HostSession, modelOnly: Json | null, appOnly: Json | null): Finding {
  if (!session.capabilities.serverTools && isRefusal(appOnly)) {
    return absent("HST-09", "The host doesn't let views call any tool.");
  }
  const faults: string[] = [];
  if (session.server.callsOf("model-only").length > 0) {
    faults.push('a tool for ["model"] was called for the view');
  }
  if (!isRefusal(modelOnly)) faults.push(`the view was answered ${brief(modelOnly)}`);
  if (isRefusal(appOnly)) faults.push(`a tool for ["app"] was rejected: ${brief(appOnly)}`);
  return judge("HST-09", faults, `The view was answered ${brief(modelOnly?.error ?? modelOnly)}.`);
}

function judgeUnmarked(answer: Json | null, offered: readonly string[] | undefined): Finding {
  const faults = [
    ...(answer === null || isRefusal(answer) ? [`the view may not call it: ${brief(answer)}`] : []),
    ...(offered && !offered.includes("unmarked") ? ["the model is not offered it"] : []),
  ];
  return judge(
    "HST-11",
    faults,
    "A tool without visibility is available to the view and the model.",
  );
}

async function tellForwarded(session: HostSession): Promise<Finding> {
  const methods: [string, Json][] = [
    ["resources/read", { uri: VIEW }],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["tools/list", {}],
    ["prompts/list", {}],
  ];
  const before = session.server.calls.length;
  const answers = await Promise.all(
    methods.map(([method, params]) => session.request(method, params)),
  );
  const answered = methods.filter((_, index) => answers[index]?.result).map(([method]) => method);
  const reached = new Set(session.server.calls.slice(before).map(({ method }) => method));
  return holds(
    "HST-12",
    `Answered besides tools/call: ${answered.join(", ") || "nothing"}; the server received ${brief([...reached])}.`,
  );
}

async function judgeOwnServer(session: HostSession): Promise<Finding> {
  await session.greeted();
  const own = await session.view();
  const elsewhere = [
    ...TOOLS,
    { tool: tool("other-only") },
    { tool: tool("other-app", visible("app")) },
  ];
  const other = await session.openMore({}, offer({ tools: elsewhere }));
  const views = await session.atLeast(2);
  const call = (name: string): Promise<Json | null> =>
    own.evaluate((value) => {
      const { probe } = window as unknown as { probe: { request(...args: unknown[]): never } };
      return probe.request("tools/call", { name: value, arguments: {} });
    }, name);
  if (views.length < 2 || own.isDetached()) {
    return absent(
      "HST-10",
      "The host shows one view at a time, so a view can't reach another server.",
    );
  }
  const [plain, app] = [await call("other-only"), await call("other-app"), await call("on-both")];
  const faults = [
    ...(other.callsOf("other-only").length > 0 ? ["a view called a tool of another server"] : []),
    ...(other.callsOf("other-app").length > 0
      ? ["a view called an app tool of another server"]
      : []),
    ...(other.callsOf("on-both").length > 0
      ? ["of two tools with the same name, the other server's was called"]
      : []),
    ...([plain, app].every(isRefusal) ? [] : ["such a call was not rejected"]),
    ...(session.server.callsOf("on-both").length > 0
      ? []
      : ["a tool of its own server was not called"]),
  ];
  return judge("HST-10", faults, "Each view only reaches its own server.");
}

async function judgeConnection(target: HostTarget): Promise<Finding> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = async ({ progress }: ProbeToolCall): Promise<Json> => {
    progress(1);
    await released;
    return { content: [{ type: "text", text: "late" }] };
  };
  const hanging = (): Promise<Json> => new Promise(() => {});
  const tools = [
    { tool: tool("late"), result: late },
    { tool: tool("soon") },
    { tool: tool("hanging"), result: hanging },
  ];
  return withHost(target, { parts: { tools } }, async (session) => {
    await session.greeted();
    const view = await session.view();
    const call = (id: unknown, name: string): Json => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: {}, ...(name === "late" && { _meta: { progressToken: "mine" } }) },
    });
    await session.send(call("7", "late"), call(7, "soon"), call("hung", "hanging"));
    await answerTo(session, 7);
    await session.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "hung", reason: "No longer needed." },
    });
    await session.quiet();
    release();
    const [soon, slow] = [await answerTo(session, 7), await answerTo(session, "7")];
    const unknown = await session.request("conformance/unknown", {});
    const faults = [
      ...(textOf(soon) === "soon was called." ? [] : [`the id 7 was answered ${brief(soon)}`]),
      ...(textOf(slow) === "late" ? [] : [`the id "7" was answered ${brief(slow)}`]),
      ...(unknown?.error?.code === -32601
        ? []
        : [`an unknown method was answered ${brief(unknown)}`]),
      ...strayProgress(session),
      ...(isCancelled(session) ? [] : ["the server was not notified that a call was cancelled"]),
    ];
    if (view.isDetached()) faults.push("the view was gone at the end");
    const { length } = session.messages("in", "notifications/progress");
    return judge(
      "HST-13",
      faults,
      `Ids, errors and cancellation are preserved; progress came ${length} times.`,
    );
  });
}

async function answerTo(session: HostSession, id: unknown): Promise<Json | undefined> {
  for (let round = 0; round < 100; round++) {
    const found = session.messages("in").find((message) => !message.method && message.id === id);
    if (found) return found;
    await session.quiet(50);
  }
  return undefined;
}

function textOf(answer: Json | undefined): string | undefined {
  return asRecord(answer?.result).content?.[0]?.text;
}

function strayProgress(session: HostSession): string[] {
  return session
    .messages("in", "notifications/progress")
    .filter(({ params }) => params?.progressToken !== "mine")
    .map(({ params }) => `progress came under the token ${brief(params?.progressToken)}`);
}

function isCancelled({ server }: HostSession): boolean {
  const hung = server.calls.find(({ params }) => params.name === "hanging");
  return hung?.isDropped === true || server.asked("notifications/cancelled").length > 0;
}
