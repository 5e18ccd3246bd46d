// What reaches the model from a view, and what doesn't.

import { asRecord, brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { isRefusal, withHost } from "./host-setup.ts";

const MESSAGE = "ui/message";
const CONTEXT = "ui/update-model-context";
const SAMPLE = "sampling/createMessage";
const SAID = "View message 4711.";
const LOGGED = "A line for the log, 4712.";

export const CONVERSATION_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "sends a chat message and a log entry",
    rules: ["HST-75", "HST-76", "HST-77", "HST-83"],
    run: (target) => withHost(target, {}, judgeMessages),
  },
  {
    title: "updates the model context three times in a row",
    rules: ["HST-78", "HST-79", "HST-80"],
    run: (target) => withHost(target, {}, judgeContext),
  },
  {
    title: "asks for sampling, with and without consent",
    rules: ["HST-81", "HST-82"],
    run: (target) => withHost(target, {}, judgeSampling),
  },
];

function text(words: string): Json[] {
  return [{ type: "text", text: words }];
}

/** The content of the conversation: from the driver, or from the page's text. */
async function conversationOf(session: HostSession): Promise<{ role?: string; text: string }[]> {
  const { driver, page } = session;
  if (session.has("conversation")) return (await driver.conversation?.(page)) ?? [];
  return [{ text: await session.pageText() }];
}

async function judgeMessages(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const { reply, asked } = await session.ask(MESSAGE, { role: "user", content: text(SAID) });
  const params = { level: "info", logger: "probe", data: LOGGED };
  await session.send({ jsonrpc: "2.0", method: "notifications/message", params });
  await session.quiet(300);
  const lines = await conversationOf(session);
  const said = lines.find((line) => line.text.includes(SAID));
  const isLogged = lines.some((line) => line.text.includes(LOGGED));
  const isKnown = reply?.error?.code !== -32601;
  const extra = Object.keys(asRecord(reply?.result)).filter(
    (key) => !["isError", "_meta"].includes(key),
  );
  const role = said?.role ?? "user";
  return [
    isKnown
      ? judge(
          "HST-75",
          [
            ...(said
              ? []
              : [`the conversation doesn't contain the message, and the view got ${brief(reply)}`]),
            ...(role === "user" ? [] : [`its role became ${brief(role)}`]),
          ],
          "The message is in the conversation, in the user's role.",
        )
      : absent("HST-75", "The host accepts no messages, and declares that."),
    isKnown
      ? holds("HST-76", asked ? "The user is asked." : "The user is not asked.")
      : absent("HST-76", "The host accepts no messages."),
    isKnown
      ? judge(
          "HST-77",
          extra.map((key) => `the response has ${key}`),
          `The View gets ${brief(reply?.result ?? reply?.error)}.`,
        )
      : absent("HST-77", "The host accepts no messages."),
    session.has("conversation") || isLogged
      ? judge(
          "HST-83",
          isLogged ? ["a log entry is in the conversation"] : [],
          "The log entry is not in the conversation.",
        )
      : absent("HST-83", "The driver doesn't report the conversation."),
  ];
}

async function judgeContext(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const rules = ["HST-78", "HST-79", "HST-80"];
  const words = ["First 5001.", "Second 5002.", "Third 5003."];
  const answers: (Json | null)[] = [];
  for (const one of words) {
    answers.push(await session.request(CONTEXT, { content: text(one) }));
    // Hosts may limit the rate of messages.
    await session.quiet(700);
  }
  if (answers.every((answer) => answer?.error?.code === -32601)) {
    return rules.map((rule) =>
      absent(rule, "The host accepts no model context, and declares that."),
    );
  }
  if (!session.has("modelContext")) {
    return rules.map((rule) => absent(rule, "The driver doesn't report the model context."));
  }
  const known = (await session.driver.modelContext?.(session.page)) ?? [];
  const has = (one: string): boolean => known.some((line) => line.includes(one));
  const [first = "", second = "", third = ""] = words;
  await session.request(CONTEXT, {});
  const cleared = (await session.driver.modelContext?.(session.page)) ?? [];
  const isCleared = !cleared.some((line) => line.includes(third));
  return [
    judge(
      "HST-78",
      has(third) ? [] : [`the model context is ${brief(known)}`],
      "The model gets the context.",
    ),
    holds(
      "HST-79",
      `The newest replaces the others: ${!has(second)}; an empty one clears: ${isCleared}.`,
    ),
    judge(
      "HST-80",
      [first, second].filter(has).map((one) => `the model context still is ${brief(one)}`),
      "Of three updates the last one reaches the model.",
    ),
  ];
}

async function judgeSampling(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const offered = session.capabilities.sampling;
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "Say something." } }],
    maxTokens: 16,
    modelPreferences: { hints: [{ name: "the-most-expensive" }] },
  };
  const refused = await session.ask(SAMPLE, params, { answer: "deny" });
  const isHandled = refused.reply?.error?.code !== -32601;
  const advertised = judge(
    "HST-82",
    [
      ...(offered && !isHandled ? ["sampling is advertised but not handled"] : []),
      ...(!offered && isHandled && (refused.asked || !isRefusal(refused.reply))
        ? ["sampling is handled but not advertised"]
        : []),
    ],
    offered ? "Sampling is advertised and handled." : "Sampling is neither advertised nor handled.",
  );
  if (!offered && !isHandled)
    return [absent("HST-81", "The host doesn't support sampling."), advertised];
  const faults = refused.asked ? [] : ["the user was not asked before the model was"];
  if (refused.asked && !isRefusal(refused.reply))
    faults.push(`a refusal was answered ${brief(refused.reply)}`);
  return [
    judge("HST-81", faults, `A refusal is answered ${brief(refused.reply?.error)}.`),
    advertised,
  ];
}
