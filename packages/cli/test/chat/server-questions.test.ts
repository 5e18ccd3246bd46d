import { describe, expect, it } from "vitest";
import { readContent, readForm } from "../../src/chat/servers/elicitation-form.ts";
import { createQuestions } from "../../src/chat/servers/server-questions.ts";

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

  it("with an address to visit are cancelled", async () => {
    const params = { mode: "url", message: "Visit", url: "https://a.example", elicitationId: "1" };
    expect(await createQuestions().ask("kitchen", params as never)).toEqual({ action: "cancel" });
  });
});
