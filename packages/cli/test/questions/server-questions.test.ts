import { describe, expect, it } from "vitest";
import { readContent, readForm } from "../../src/questions/elicitation-form.ts";
import { createQuestions } from "../../src/questions/server-questions.ts";

const schema = {
  type: "object" as const,
  required: ["dish"],
  properties: {
    dish: { type: "string" as const, enum: ["soup", "salad"] },
    guests: { type: "integer" as const, minimum: 1 },
    spicy: { type: "boolean" as const, default: true },
  },
};

describe("a form of a server", () => {
  it("has a field for each property, with the defaults that fit", () => {
    expect(readForm(schema)).toMatchObject([
      { name: "dish", kind: "choice", isRequired: true },
      { name: "guests", kind: "integer", least: 1 },
      { name: "spicy", kind: "yes-no", initial: true },
    ]);
  });

  it.each([
    { properties: { a: { type: "object" } } },
    { properties: { a: { type: "array", items: { type: "object" } } } },
    { properties: { a: {} } },
    {
      properties: Object.fromEntries(
        Array.from({ length: 51 }, (_, at) => [at, { type: "string" }]),
      ),
    },
  ])("isn't shown if it can't be shown in full: %#", (value) => {
    expect(readForm(value as never)).toBeUndefined();
  });

  it.each([
    [{ dish: "soup" }, { dish: "soup" }],
    [
      { dish: "soup", guests: 2, more: 1 },
      { dish: "soup", guests: 2 },
    ],
    [{}, undefined],
    [{ dish: "pizza" }, undefined],
    [{ dish: "soup", guests: 1.5 }, undefined],
    [{ dish: "soup", spicy: "yes" }, undefined],
    [null, undefined],
  ])("takes %o as %o", (given, expected) => {
    expect(readContent(readForm(schema) ?? [], given)).toEqual(expected);
  });
});

describe("questions", () => {
  const ask = { message: "What?", requestedSchema: schema };

  it("wait until they are answered, once, with something that fits", async () => {
    const questions = createQuestions();
    const result = questions.ask("kitchen", ask as never);
    const [question] = questions.open;
    expect(question).toMatchObject({ server: "kitchen", message: "What?" });
    const id = question?.id ?? "";
    expect(questions.answer(id, "accept", { dish: "pizza" })).toBe(false);
    expect(questions.answer(id, "other", {})).toBe(false);
    expect(questions.answer(id, "accept", { dish: "soup" })).toBe(true);
    expect(questions.answer(id, "accept", { dish: "soup" })).toBe(false);
    expect(await result).toEqual({ action: "accept", content: { dish: "soup" } });
  });

  it("are cancelled when the call ends, when there are too many, and when the chat ends", async () => {
    const questions = createQuestions();
    const call = new AbortController();
    const withdrawn = questions.ask("kitchen", ask as never, { signal: call.signal });
    call.abort();
    expect(await withdrawn).toEqual({ action: "cancel" });
    const asked = Array.from({ length: 21 }, () => questions.ask("kitchen", ask as never));
    expect(questions.open).toHaveLength(20);
    questions.close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ action: "cancel" })));
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://bank.example@evil.example/",
    "not an address",
    `https://a.example/${"x".repeat(8000)}`,
  ])("with an address that isn't a plain web address are cancelled: %.40s", async (url) => {
    const params = { mode: "url", message: "Visit", url, elicitationId: "1" };
    expect(await createQuestions().ask("kitchen", params as never)).toEqual({ action: "cancel" });
  });

  it("for a model are bounded, and answered by the user or by the model, if there is one", async () => {
    const params = {
      systemPrompt: "s".repeat(30_000),
      messages: [{ role: "user", content: [{ type: "text", text: "Why?" }, { type: "audio" }] }],
    } as never;
    const alone = createQuestions();
    const written = alone.sample("kitchen", params);
    const [question] = alone.open;
    expect(question).toMatchObject({ kind: "sample", hasModel: false });
    expect(JSON.stringify(question).length).toBeLessThan(21_000);
    expect(alone.answer(question?.id ?? "", "model", {})).toBe(false);
    expect(alone.answer(question?.id ?? "", "accept", { text: 7 })).toBe(false);
    expect(alone.answer(question?.id ?? "", "accept", { text: "So." })).toBe(true);
    expect(await written).toMatchObject({ role: "assistant", content: { text: "So." } });

    const sampled = { role: "assistant", model: "m", content: { type: "text", text: "42" } };
    const helped = createQuestions({ sampler: async () => sampled as never });
    const made = helped.sample("kitchen", params);
    expect(helped.answer(helped.open[0]?.id ?? "", "model", undefined)).toBe(true);
    expect(await made).toBe(sampled);
    const declined = helped.sample("kitchen", params);
    helped.answer(helped.open[0]?.id ?? "", "decline", undefined);
    await expect(declined).rejects.toMatchObject({ code: -1 });
  });
});
