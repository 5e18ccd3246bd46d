import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { callbacksUpstream } from "@vitrine/host";
import { createAppsHandler } from "@vitrine/host/remote";
import {
  isStepCount,
  type LanguageModel,
  streamText,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../../cli/src/chat/scripted-model/scripted-model.ts";
import { createSampleHandler, prepareTurn, withViews } from "../../src/ai-sdk/ai-sdk-server.ts";

const VIEW = "ui://trips/form";
const calls: unknown[] = [];
const trips = callbacksUpstream({
  server: "trips",
  listTools: () =>
    ({
      tools: [
        { name: "plan", inputSchema: { type: "object" }, _meta: { ui: { resourceUri: VIEW } } },
        { name: "tick", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } },
      ],
    }) as never,
  callTool: (params) => {
    calls.push(params);
    return {
      content: [{ type: "text", text: "Planned." }],
      structuredContent: { secret: "for the view" },
      _meta: { secret: "for the view" },
    };
  },
  readResource: ({ uri }) => ({
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<p>Form</p>" }],
  }),
});
const broken = callbacksUpstream({
  server: "broken",
  listTools: () => {
    throw new Error("away");
  },
});

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel({
    script: {
      turns: [
        { when: { hasTool: false }, reply: [{ text: "A sentence." }] },
        { when: { user: "plan" }, reply: [{ call: "trips__plan", arguments: { city: "Oslo" } }] },
        { when: { after: "trips__plan" }, reply: [{ text: "Done." }] },
      ],
    },
  });
});
afterAll(() => model.close());

const message = (text: string): UIMessage => ({
  id: "1",
  role: "user",
  parts: [{ type: "text", text }],
});
const apps = {
  context: [{ key: "1", from: { server: "trips" }, content: [{ type: "text", text: "Day 2" }] }],
  appTools: [{ name: "app_x_pick", description: "Picks", inputSchema: { type: "object" } }],
};

async function collect(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as never as AsyncIterable<UIMessageChunk>) chunks.push(chunk);
  return chunks;
}

describe.each([
  ["OpenAI", () => createOpenAICompatible({ name: "x", baseURL: model.url })("scripted")],
  ["Anthropic", () => createAnthropic({ baseURL: model.url, apiKey: "key" })("scripted")],
] as [string, () => LanguageModel][])("over the wire of %s", (_, create) => {
  test("a turn has the tools of servers and views, the views' context, and the model's part of results", async () => {
    const failed: string[] = [];
    const { tools, messages, modelTools } = await prepareTurn({
      clients: { trips, broken },
      body: { messages: [message("Please plan")], apps },
      onError: (server) => failed.push(server),
    });
    expect(Object.keys(tools)).toEqual(["trips__plan", "app_x_pick"]);
    expect(failed).toEqual(["broken"]);
    const { stream } = streamText({ model: create(), tools, messages, stopWhen: isStepCount(3) });
    const handler = createAppsHandler({ clients: { trips }, authorize: () => ({ id: "ann" }) });
    const chunks = await collect(
      withViews(toUIMessageStream({ stream }), {
        modelTools,
        open: (view) => handler.open({ id: "ann" }, view),
      }),
    );
    // The page gets everything, and the view's HTML once.
    const output = chunks.find(({ type }) => type === "tool-output-available");
    expect(output).toMatchObject({ output: { structuredContent: { secret: "for the view" } } });
    const views = chunks.filter(({ type }) => type === "data-mcp-view");
    expect(views).toMatchObject([
      { transient: true, data: { resource: { contents: [{ text: "<p>Form</p>" }] } } },
    ]);
    expect(calls.at(-1)).toEqual({ name: "plan", arguments: { city: "Oslo" } });
    const body = JSON.stringify(model.requests.at(-1)?.body);
    expect(body).toContain("Planned.");
    expect(body).toContain("Day 2");
    expect(body).toContain("app_x_pick");
    expect(body).not.toContain("secret");
    expect(body).not.toContain("trips__tick");
  });
});

test("calls that were stopped are left out of the next turn", async () => {
  const stopped: UIMessage = {
    id: "2",
    role: "assistant",
    parts: [
      {
        type: "dynamic-tool",
        toolName: "trips__plan",
        toolCallId: "c",
        state: "input-available",
        input: {},
      },
    ],
  };
  const { messages } = await prepareTurn({
    clients: { trips },
    body: { messages: [message("plan"), stopped, message("again")] },
  });
  expect(JSON.stringify(messages)).not.toContain("trips__plan");
});

test("a view's request to the model is answered without tools, and limited", async () => {
  const handle = createSampleHandler({
    model: createOpenAICompatible({ name: "x", baseURL: model.url })("scripted"),
    authorize: (request) => request.headers.get("x-user") ?? undefined,
    maxOutputTokens: 50,
  });
  const post = (body: string, headers: Record<string, string> = {}) =>
    handle(
      new Request("https://chat.example/sample", {
        method: "POST",
        headers: { "content-type": "application/json", "x-user": "ann", ...headers },
        body,
      }),
    );
  const question = { role: "user", content: { type: "text", text: "Write a sentence" } };
  const params = JSON.stringify({ messages: [question], maxTokens: 10_000 });
  const answer = await (await post(params)).json();
  expect(answer).toMatchObject({ role: "assistant", content: { text: "A sentence." } });
  expect(model.requests.at(-1)?.body).toMatchObject({ max_tokens: 50 });
  expect((await post("{")).status).toBe(400);
  expect((await post('{"messages":1}')).status).toBe(400);
  expect((await post(params, { "content-type": "text/plain" })).status).toBe(415);
  expect((await post(" ".repeat(300_000))).status).toBe(413);
});
