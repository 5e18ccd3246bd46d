import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { loadScript } from "../../../src/chat/scripted-model/read-script.ts";
import type { ModelScript } from "../../../src/chat/scripted-model/script.ts";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../../src/chat/scripted-model/scripted-model.ts";

const SCRIPT: ModelScript = {
  turns: [
    { when: { hasTool: false }, reply: [{ text: "A short summary." }] },
    { when: { user: "long" }, reply: [{ text: "word ".repeat(1000), pace: 20 }] },
    { when: { user: "break" }, reply: [{ error: "overloaded", status: 400 }] },
    { when: { after: "shop__add" }, reply: [{ text: "The cart has: {{result}} 🛒" }] },
    {
      when: { user: "add" },
      reply: [
        { text: "I add it." },
        { call: "shop__add", arguments: { item: "mug 😀", count: 2 }, chunk: 5 },
        { call: "shop__list" },
      ],
    },
  ],
};

const providers = {
  openai: (url: string) =>
    createOpenAICompatible({
      name: "scripted",
      baseURL: url,
      apiKey: "secret",
      includeUsage: true,
    })("scripted"),
  anthropic: (url: string) =>
    createAnthropic({ baseURL: url, apiKey: "secret" })("claude-scripted"),
};

let model: ScriptedModel | undefined;
afterEach(() => model?.close());

const shop = {
  shop__add: tool({
    description: "Adds to the cart",
    inputSchema: jsonSchema<{ item: string; count: number }>({
      type: "object",
      properties: { item: { type: "string" }, count: { type: "number" } },
    }),
    execute: async ({ item, count }) => `${count} × ${item}`,
  }),
  shop__list: tool({ inputSchema: jsonSchema({ type: "object" }), execute: async () => "all" }),
};

describe.each(["openai", "anthropic"] as const)(
  "the wire format of %s with the AI SDK's provider",
  (wire) => {
    test("streams text and a call's arguments in fragments, and answers the result", async () => {
      model = await startScriptedModel({ script: SCRIPT, key: "secret" });
      const result = streamText({
        model: providers[wire](model.url),
        system: "You sell mugs.",
        prompt: "Please add two mugs",
        tools: shop,
        stopWhen: isStepCount(5),
      });
      const fragments: string[] = [];
      const errors: unknown[] = [];
      for await (const part of result.stream) {
        if (part.type === "tool-input-delta") fragments.push(part.delta);
        if (part.type === "error") errors.push(part.error);
      }
      expect(errors).toEqual([]);
      expect(fragments.length).toBeGreaterThan(5);
      const steps = await result.steps;
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
      expect(steps[0]?.text).toBe("I add it.");
      expect(steps[0]?.toolCalls.map(({ toolName, input }) => [toolName, input])).toEqual([
        ["shop__add", { item: "mug 😀", count: 2 }],
        ["shop__list", {}],
      ]);
      expect(await result.text).toBe("The cart has: 2 × mug 😀\nall 🛒");
      expect((await result.usage).outputTokens).toBeGreaterThan(10);
      expect(model.requests.map(({ wire, turn, state }) => ({ wire, turn, state }))).toEqual([
        { wire, turn: 4, state: "finished" },
        { wire, turn: 3, state: "finished" },
      ]);
      expect(model.requests[1]?.request).toMatchObject({
        system: "You sell mugs.",
        tools: ["shop__add", "shop__list"],
        user: "Please add two mugs",
        after: ["shop__add", "shop__list"],
      });
    });

    test("answers without a stream, for the sampling of a view", async () => {
      model = await startScriptedModel({ script: SCRIPT });
      const { text } = await generateText({
        model: providers[wire](model.url),
        prompt: "Summarise this",
      });
      expect(text).toBe("A short summary.");
      const called = await generateText({
        model: providers[wire](model.url),
        prompt: "add",
        tools: shop,
      });
      expect(called.toolCalls.map(({ input }) => input)).toEqual([
        { item: "mug 😀", count: 2 },
        {},
      ]);
    });

    test("ends the stream when the client disconnects, and records it", async () => {
      model = await startScriptedModel({ script: SCRIPT });
      const stop = new AbortController();
      const result = streamText({
        model: providers[wire](model.url),
        prompt: "long",
        tools: shop,
        abortSignal: stop.signal,
      });
      for await (const part of result.stream) if (part.type === "text-delta") stop.abort();
      await vi.waitFor(() => expect(model?.requests[0]?.state).toBe("stopped"));
    });

    test("sends the errors of the script, of the key and of a request without a turn", async () => {
      model = await startScriptedModel({ script: SCRIPT, key: "secret" });
      const ask = (prompt: string) =>
        generateText({
          model: providers[wire](model?.url ?? ""),
          prompt,
          tools: shop,
          maxRetries: 0,
        });
      await expect(ask("break")).rejects.toThrow("overloaded");
      await expect(ask("something else")).rejects.toThrow(
        /^No turn of the script fits .* "something else"/,
      );
      expect(model.requests.map(({ state, turn }) => [state, turn])).toEqual([
        ["failed", 2],
        ["failed", undefined],
      ]);
      await model.close();
      model = await startScriptedModel({ script: SCRIPT, key: "another" });
      await expect(ask("add")).rejects.toThrow("The API key is wrong.");
      expect(model.requests).toEqual([]);
    });
  },
);

test("lists its model, rejects bodies that aren't in the format, and keeps a bounded number of requests", async () => {
  model = await startScriptedModel({
    script: { model: "demo", turns: [{ reply: [{ text: "ok" }] }] },
    keep: 2,
  });
  const { url } = model;
  expect(await (await fetch(`${url}/models`)).json()).toMatchObject({
    data: [{ id: "demo", object: "model" }],
  });
  const post = (body: unknown) =>
    fetch(`${url}/chat/completions`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  for (const body of ["{", [], { model: "m" }, { model: "m", messages: [{ role: "queen" }] }]) {
    const response = await post(body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error" } },
    ]);
  }
  for (const content of ["a", "b", "c"])
    await (await post({ model: "m", messages: [{ role: "user", content }] })).text();
  expect(model.requests.map(({ request }) => request.user)).toEqual(["b", "c"]);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  await model.close();
  await model.close();
});

test("reads a script from JSON or from a module that computes its replies", async () => {
  const folder = await mkdtemp(join(tmpdir(), "script-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "a.json"), JSON.stringify(SCRIPT));
  expect(await loadScript(join(folder, "a.json"))).toEqual(SCRIPT);
  await writeFile(
    join(folder, "a.mjs"),
    "export default { turns: [{ reply: ({ user }) => [{ text: user.toUpperCase() }] }] };",
  );
  model = await startScriptedModel({ script: join(folder, "a.mjs") });
  expect((await generateText({ model: providers.openai(model.url), prompt: "hello" })).text).toBe(
    "HELLO",
  );
  await writeFile(join(folder, "b.json"), "{");
  await expect(loadScript(join(folder, "b.json"))).rejects.toMatchObject({
    code: "script-unreadable",
  });
  await expect(loadScript(join(folder, "c.json"))).rejects.toMatchObject({
    code: "script-unreadable",
  });
});
