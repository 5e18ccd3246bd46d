// An agent may run elsewhere, so its events can't be trusted.

import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { from } from "rxjs";
import { expect, onTestFinished, test, vi } from "vitest";
import { type AgentAppsOptions, connectAgent } from "../../src/ag-ui/ag-ui.ts";
import { createChatApps } from "../../src/index.ts";

type Script = (run: number) => object[];

class ScriptedAgent extends AbstractAgent {
  inputs: RunAgentInput[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    super({ threadId: "t" });
    this.#script = script;
  }

  run(input: RunAgentInput) {
    this.inputs.push(input);
    const { threadId, runId } = input;
    const events = this.#script(this.inputs.length);
    return from([
      { type: "RUN_STARTED", threadId, runId },
      ...events,
      { type: "RUN_FINISHED", threadId, runId },
    ] as BaseEvent[]);
  }
}

function setUp(script: Script, options: AgentAppsOptions = {}) {
  const apps = createChatApps({
    url: "http://127.0.0.1:9/",
    sandbox: "http://proxy.localhost:9/",
    followLists: false,
  });
  const receive = vi.spyOn(apps.servers, "receive");
  const agent = new ScriptedAgent(script);
  const chat = connectAgent(apps, agent, options);
  onTestFinished(async () => {
    chat.close();
    await apps.close();
  });
  return { chat, agent, receive };
}

const call = (toolCallId: string, toolCallName: string, delta = "{}"): object[] => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName },
  { type: "TOOL_CALL_ARGS", toolCallId, delta },
  { type: "TOOL_CALL_END", toolCallId },
];
const answer = (toolCallId: string, more: object = {}): object => ({
  type: "TOOL_CALL_RESULT",
  messageId: `answer to ${toolCallId}`,
  toolCallId,
  content: "the text",
  ...more,
});
const custom = (name: string, value: unknown): object => ({ type: "CUSTOM", name, value });
const view = {
  server: "trips",
  tool: { name: "plan_trip", inputSchema: { type: "object" } },
  capabilities: {},
  view: "forged",
  resource: { contents: [{ uri: "ui://trips/form", text: "<p>Forged</p>" }] },
};

test("ignores HTML for views unless the product accepts it from its own agent", async () => {
  const script = () => [custom("vitrine/view", view)];
  const careful = setUp(script);
  await careful.chat.send("hello");
  expect(careful.receive).not.toHaveBeenCalled();
  const trusting = setUp(script, { acceptViews: true });
  await trusting.chat.send("hello");
  expect(trusting.receive).toHaveBeenCalledExactlyOnceWith(view);
});

test("ignores views that aren't views", async () => {
  const forms = [null, 7, "view", [], {}, { ...view, tool: null }, { ...view, resource: "<p>" }];
  const { chat, receive } = setUp(() => forms.map((form) => custom("vitrine/view", form)), {
    acceptViews: true,
  });
  await chat.send("hello");
  expect(receive).not.toHaveBeenCalled();
});

test("keeps the text of a result whose whole form isn't one", async () => {
  const forms = [null, 7, "result", [], {}, { content: "text" }];
  const { chat } = setUp(() =>
    forms.flatMap((form, index) => [
      ...call(`${index}`, "trips__plan_trip"),
      custom("vitrine/result", form),
      custom("vitrine/result", { toolCallId: `${index}`, result: form }),
      custom("vitrine/result", { toolCallId: 1, result: { content: [] } }),
      answer(`${index}`, { metadata: { "vitrine/result": form } }),
    ]),
  );
  await chat.send("hello");
  expect(chat.parts().map(({ state, result }) => [state, result])).toEqual(
    forms.map(() => ["result", "the text"]),
  );
});

test("a result can't be replaced after it has arrived", async () => {
  const first = { content: [{ type: "text", text: "first" }] };
  const second = { content: [{ type: "text", text: "second" }] };
  const { chat } = setUp((run) =>
    run === 1
      ? [...call("1", "trips__plan_trip"), answer("1", { metadata: { "vitrine/result": first } })]
      : [custom("vitrine/result", { toolCallId: "1", result: second })],
  );
  await chat.send("hello");
  await chat.send("again");
  expect(chat.parts()[0]?.result).toEqual(first);
});

test.each(["[1]", "7", "null", '{"days":', ""])(
  "reads the arguments %j as empty, or not at all",
  async (delta) => {
    const { chat } = setUp(() => [
      { type: "TOOL_CALL_START", toolCallId: "1", toolCallName: "trips__plan_trip" },
      ...(delta ? [{ type: "TOOL_CALL_ARGS", toolCallId: "1", delta }] : []),
      { type: "TOOL_CALL_END", toolCallId: "1" },
      answer("1"),
    ]);
    await chat.send("hello");
    expect(chat.parts()[0]?.input).toEqual(delta === "" ? {} : undefined);
  },
);

test("an agent that calls app tools forever is run sixteen times for a message", async () => {
  const { chat, agent } = setUp((run) => call(`${run}`, "app_1_select_day", '{"day":2}'));
  await chat.send("hello");
  expect(agent.inputs).toHaveLength(16);
  expect(chat.isRunning).toBe(false);
  expect(agent.messages.at(-1)).toMatchObject({
    role: "tool",
    error: "The app that offered this tool isn't in the conversation any more.",
  });
});

test("a call that the agent denied is denied, whatever its text", async () => {
  const { chat } = setUp(() => [
    ...call("1", "trips__plan_trip"),
    answer("1", { metadata: { "vitrine/denied": true } }),
  ]);
  await chat.send("hello");
  expect(chat.parts()[0]?.state).toBe("denied");
});
