import { APICallError } from "ai";
import { describe, expect, it } from "vitest";
import { openModel } from "../../src/chat/model/chat-model.ts";
import { modelErrorText } from "../../src/chat/model/model-error.ts";
import { readModelName } from "../../src/chat/model/model-name.ts";

describe("--model", () => {
  it.each([
    ["http://localhost:11434/v1", undefined, { kind: "endpoint", model: undefined }],
    ["https://a.example/v1", "qwen3", { kind: "endpoint", model: "qwen3" }],
    ["anthropic:claude-x", undefined, { kind: "anthropic", model: "claude-x" }],
    ["openai:gpt-x", undefined, { kind: "openai", model: "gpt-x" }],
    ["openai:ft:gpt-x:me", undefined, { kind: "openai", model: "ft:gpt-x:me" }],
    ["script:demo.json", undefined, { kind: "script", file: "demo.json" }],
    ["script:C:\\demo.json", undefined, { kind: "script", file: "C:\\demo.json" }],
    ["local", undefined, { kind: "local", model: undefined }],
  ])("reads %s", (text, name, expected) => {
    expect(readModelName(text, name)).toMatchObject(expected);
  });

  it.each([
    [undefined, /The model is missing/],
    ["gpt-x", /"gpt-x" isn't known/],
    ["mistral:x", /isn't known/],
    ["anthropic:", /is incomplete. Write it as anthropic:<model>/],
    ["script:", /is incomplete/],
    ["http://", /isn't a valid address/],
  ])("rejects %s and lists the choices", (text, words) => {
    expect(() => readModelName(text)).toThrow(words);
  });

  it.each([
    ["anthropic:claude-x", "ANTHROPIC_API_KEY"],
    ["openai:gpt-x", "OPENAI_API_KEY"],
  ])("needs a key for %s", async (text, variable) => {
    await expect(openModel(readModelName(text), { env: {} })).rejects.toThrow(variable);
  });

  it("doesn't use a key of OpenAI for another endpoint", async () => {
    const name = readModelName("http://127.0.0.1:9/v1", "m");
    const model = await openModel(name, { env: { OPENAI_API_KEY: "sk-secret" } });
    expect(model.secrets).toEqual([]);
  });
});

describe("an error of the model", () => {
  const error = (statusCode: number | undefined, message: string): APICallError =>
    new APICallError({
      message,
      url: "https://api.example/v1/chat",
      requestBodyValues: {},
      ...(statusCode !== undefined && { statusCode }),
    });

  it("names the host and what to do, and never the key", () => {
    const text = modelErrorText(error(500, `Bad key sk-secret${"x".repeat(1000)}`), ["sk-secret"]);
    expect(text).toContain("The model at api.example failed (500): Bad key •••");
    expect(text).not.toContain("sk-secret");
    expect(text.length).toBeLessThan(500);
  });

  it.each([
    [401, /rejected the API key/],
    [429, /Wait a moment/],
    [404, /wasn't found/],
    [undefined, /can't be reached/],
  ])("explains the status %s", (status, words) => {
    expect(modelErrorText(error(status, "x"), [])).toMatch(words);
  });

  it("doesn't show a key that the end of a long text would cut in two", () => {
    const text = modelErrorText(new Error(`${"y".repeat(375)}sk-secret-key`), ["sk-secret-key"]);
    expect(text).not.toContain("sk-");
  });
});
