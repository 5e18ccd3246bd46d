import { expect, test } from "vitest";
import {
  readAnthropicMessages,
  readChatCompletion,
} from "../../../src/chat/scripted-model/model-request.ts";
import { checkScript } from "../../../src/chat/scripted-model/read-script.ts";
import type { ModelScript } from "../../../src/chat/scripted-model/script.ts";
import { TurnChoice } from "../../../src/chat/scripted-model/turn-choice.ts";

const user = (text: string, tools: string[] = []) =>
  readChatCompletion({
    model: "m",
    messages: [{ role: "user", content: text }],
    tools: tools.map((name) => ({ type: "function", function: { name } })),
  });

const afterTool = (name: string, content: string) =>
  readChatCompletion({
    model: "m",
    messages: [
      { role: "system", content: "The cart has 2 mugs." },
      { role: "user", content: "Add a mug" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name, arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content },
    ],
  });

const textOf = (script: ModelScript, request: ReturnType<typeof user>) => {
  const answer = new TurnChoice(script).answer(request);
  return "error" in answer
    ? answer.error
    : answer.parts.map((part) => ("chunks" in part ? part.chunks.join("") : "")).join("");
};

test("the first turn that fits answers", () => {
  const script = checkScript({
    turns: [
      { when: { user: "^add" }, reply: [{ text: "added" }] },
      { when: { after: "shop__*" }, reply: [{ text: "result: {{result}}; {{system}}" }] },
      { when: { hasTool: false }, reply: [{ text: "sampled" }] },
      { reply: [{ text: "else" }] },
    ],
  });
  expect(textOf(script, user("Add a mug", ["a"]))).toBe("added");
  expect(textOf(script, afterTool("shop__add", "1 mug"))).toBe(
    "result: 1 mug; The cart has 2 mugs.",
  );
  expect(textOf(script, user("hello"))).toBe("sampled");
  expect(textOf(script, user("hello", ["a"]))).toBe("else");
});

test("a turn for a message of the user doesn't answer a tool result, so no call repeats forever", () => {
  const script = checkScript({
    turns: [{ when: { user: "add" }, reply: [{ call: "shop__add" }] }],
  });
  expect(textOf(script, afterTool("shop__add", "done"))).toMatch(
    /^No turn of the script fits a request that ends with a result of shop__add/,
  );
});

test("a turn with `times` leaves later requests to later turns", () => {
  const choice = new TurnChoice(
    checkScript({
      turns: [{ times: 1, reply: [{ error: "busy", status: 529 }] }, { reply: [{ text: "ok" }] }],
    }),
  );
  expect(choice.answer(user("a"))).toEqual({ turn: 0, error: "busy", status: 529 });
  expect(choice.answer(user("a"))).toMatchObject({ turn: 1 });
});

test("a name with `*` calls the first offered tool that fits", () => {
  const answer = new TurnChoice(
    checkScript({ turns: [{ reply: [{ call: "*__pick", arguments: { seat: "4A" }, chunk: 4 }] }] }),
  ).answer(user("go", ["other", "app_7__pick"]));
  expect(answer).toEqual({
    turn: 0,
    parts: [{ kind: "call", name: "app_7__pick", pace: 0, chunks: ['{"se', 'at":', '"4A"', "}"] }],
  });
});

test("no chunk ends inside a character", () => {
  const answer = new TurnChoice(
    checkScript({ turns: [{ reply: [{ text: "a😀b", chunk: 1 }] }] }),
  ).answer(user("go"));
  expect(answer).toMatchObject({ parts: [{ chunks: ["a", "😀", "b"] }] });
});

test("Anthropic's results and the user's next text in one message are read in order", () => {
  const request = readAnthropicMessages({
    model: "m",
    max_tokens: 10,
    system: [{ type: "text", text: "be brief" }],
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "shop__add", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "1 mug" }] },
        ],
      },
    ],
  });
  expect(request).toMatchObject({ system: "be brief", after: ["shop__add"], result: "1 mug" });
  const next = readAnthropicMessages({
    model: "m",
    max_tokens: 10,
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "shop__add", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "1 mug" },
          { type: "text", text: "thanks" },
        ],
      },
    ],
  });
  expect(next).toMatchObject({ after: [], user: "thanks" });
});

test("a result of a call that the conversation doesn't have is rejected", () => {
  expect(() =>
    readChatCompletion({
      model: "m",
      messages: [{ role: "tool", tool_call_id: "x", content: "" }],
    }),
  ).toThrow('messages[0] answers the call "x", which no earlier message has.');
});

test.each([
  [{}, 'script needs the field "turns".'],
  [{ turns: [] }, "script.turns must be a list with at least one turn, but it is []."],
  [{ turns: [{}] }, 'script.turns[0] needs the field "reply".'],
  [
    { turns: [{ reply: [{ txt: "a" }] }] },
    'script.turns[0].reply[0] must be an object with one of text, call, wait, error, but it is {"txt":"a"}.',
  ],
  [
    { turns: [{ reply: [{ text: "a", speed: 1 }] }] },
    'script.turns[0].reply[0] has the unknown field "speed". Known fields are text, pace, chunk.',
  ],
  [
    { turns: [{ reply: [{ text: "a", chunk: 0 }] }] },
    "script.turns[0].reply[0].chunk must be a whole number from 1 to 100000, but it is 0.",
  ],
  [
    { turns: [{ when: { user: "(" }, reply: [] }] },
    'script.turns[0].when.user must be a regular expression, but it is "(".',
  ],
  [
    { turns: [{ reply: [{ error: "a" }, { text: "b" }] }] },
    "script.turns[0].reply has an error and other parts. An error must be the only part.",
  ],
  [
    JSON.parse('{"turns":[{"reply":[]}],"__proto__":1}'),
    'script has the unknown field "__proto__". Known fields are turns, model, pace, chunk.',
  ],
])("a wrong script is rejected with the field and what to write: %j", (script, message) => {
  expect(() => checkScript(script)).toThrow(
    expect.objectContaining({ code: "script-invalid", message }),
  );
});
