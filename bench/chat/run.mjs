// `npm run bench:chat`: a conversation of 200 messages with 60 views in `vitrine chat`, in Chromium. While the
// model writes the arguments of another view, a user types. Measured is the time from a key to the next
// frame. Exits with 1 if 5 % of the keys take longer than the limit.

import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startChatServers } from "@vitrine/example-chat-servers";
import { launchChromium } from "@vitrine/internal/chromium";
import { openChatSession } from "../../packages/cli/src/chat/chat-session.ts";
import { openModel } from "../../packages/cli/src/chat/model/chat-model.ts";
import { startScriptedModel } from "../../packages/cli/src/chat/scripted-model/scripted-model.ts";
import { startServers } from "../../packages/cli/src/chat/servers/chat-servers.ts";
import { parseServerList } from "../../packages/cli/src/chat/servers/server-list.ts";
import { openSqliteStore } from "../../packages/cli/src/chat/store/sqlite-store.ts";

const LIMIT = 50;
const MESSAGES = 200;
const VIEWS = 60;
const isQuick = process.argv.includes("--quick");
const KEYS = isQuick ? 60 : 150;
const PACE = 60;
const ROUNDS = 3;
const NOTES = "A quiet hotel near the water, with breakfast and a museum. ".repeat(12);

const plan = (pace) => ({
  call: "trips__plan_trip",
  arguments: { destination: "Oslo", days: 3, notes: NOTES },
  ...(pace ? { pace, chunk: 2 } : {}),
});
const script = {
  turns: [
    { when: { user: "first" }, reply: [plan(0)] },
    // Longer than the typing.
    { when: { user: "slowly" }, reply: [plan(Math.ceil((KEYS * PACE * 4) / (NOTES.length / 2)))] },
    { when: { after: "*" }, reply: [{ text: "Here is your plan." }] },
    { reply: [{ text: "You said: {{user}}" }] },
  ],
};
const answerText = (at) =>
  `## Answer ${at}\n\nA paragraph with **words**, \`code\` and a list:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| ${at} | 2 |\n`;

/** The messages of a long conversation: the answer with a view is a real one, with other ids. */
function longConversation(answer) {
  return Array.from({ length: MESSAGES }, (_, at) => {
    const turn = Math.floor(at / 2);
    if (at % 2 === 0) {
      return { id: `u${at}`, role: "user", parts: [{ type: "text", text: `Question ${turn}` }] };
    }
    const hasView = turn % (MESSAGES / 2 / VIEWS) < 1;
    const parts = hasView
      ? answer.parts.map((part) =>
          part.toolCallId ? { ...part, toolCallId: `${part.toolCallId}-${at}` } : part,
        )
      : [{ type: "text", text: answerText(turn), state: "done" }];
    return { ...answer, id: `a${at}`, parts };
  });
}

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const data = await mkdtemp(join(tmpdir(), "vitrine-bench-chat-"));
const servers = await startChatServers({ waitForPython: false });
const model = await startScriptedModel({ script });
const { trips } = servers.mcpJson.mcpServers;
const list = parseServerList(JSON.stringify({ mcpServers: { trips } }), { folder: data, env: {} });
const session = await openChatSession({
  model: await openModel({ kind: "endpoint", url: new URL(model.url), model: "scripted" }),
  data,
  servers: (context) => startServers(list, context),
});
const { context, close } = await launchChromium({ viewport: { width: 1280, height: 800 } });
try {
  const page = await context.newPage();
  const send = async (text) => {
    await page.getByTestId("composer").fill(text);
    await page.getByTestId("send").click();
  };
  await page.goto(session.url);
  await page.getByTestId("composer").waitFor();
  await send("The first plan");
  await page.getByText("Here is your plan.").waitFor();
  await page.waitForTimeout(1_000);

  const store = openSqliteStore(join(data, "conversations.db"));
  const [{ id: first }] = store.list();
  const answer = store.read(first).messages.find(({ role }) => role === "assistant");
  const messages = longConversation(answer);
  store.save("long", messages);
  store.close();
  const views = messages.filter(({ parts }) => parts.some(({ toolCallId }) => toolCallId)).length;

  const long = await context.newPage();
  await page.close();
  await long.goto(`${session.url}&conversation=long`);
  const begun = performance.now();
  await long.getByText(`Question ${MESSAGES / 2 - 1}`).waitFor();
  const opened = performance.now() - begun;
  const composer = long.getByTestId("composer");
  // A user who has read the whole conversation: every view was on screen once.
  const shown = await long.evaluate(async () => {
    const apps = [...document.querySelectorAll("mcp-app")];
    for (const app of apps) {
      app.scrollIntoView({ block: "center" });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return apps.length;
  });
  await long.waitForTimeout(1_000);
  await long.evaluate(() => {
    window.latencies = [];
    const { port1, port2 } = new MessageChannel();
    const waiting = [];
    // A message that is sent in a frame's callback arrives after the frame was painted.
    port1.onmessage = () => {
      for (const at of waiting.splice(0)) window.latencies.push(performance.now() - at);
    };
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        requestAnimationFrame(() => {
          waiting.push(timeStamp);
          port2.postMessage(0);
        });
      },
      { capture: true },
    );
  });
  const letters = "while the view streams, I write the next message ".repeat(4).slice(0, KEYS);
  /** Types while a view streams. */
  const type = async () => {
    await composer.fill("Slowly, please");
    await long.getByTestId("send").click();
    await long.getByTestId("stop").waitFor();
    await long.waitForTimeout(500);
    await long.evaluate(() => {
      window.latencies.length = 0;
    });
    await composer.focus();
    await long.keyboard.type(letters, { delay: PACE });
    const state = model.requests.at(-1)?.state;
    const latencies = await long.evaluate(() => [...window.latencies]);
    const isMeasured = state === "answering" && (await composer.inputValue()) === letters;
    if (!isMeasured) console.log(`not measured: the model was ${state}`);
    await long.getByTestId("stop").click();
    await long.getByTestId("send").waitFor();
    return isMeasured ? latencies : [];
  };
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const these = await type();
    if (these.length === 0) continue;
    console.log(
      `round ${round}: p95 ${percentile(these, 0.95).toFixed(1)} ms, load ${loadavg()[0].toFixed(1)}`,
    );
    rounds.push(these);
  }
  // The median round, because other work on the machine can slow one down.
  rounds.sort((one, other) => percentile(one, 0.95) - percentile(other, 0.95));
  const latencies = rounds[Math.floor(rounds.length / 2)] ?? [];
  const frames = long.frames().length;
  const cdp = await context.newCDPSession(long);
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("Performance.enable");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const heap = metrics.find(({ name }) => name === "JSHeapUsedSize").value / 2 ** 20;

  const p95 = percentile(latencies, 0.95) ?? Number.NaN;
  const isWell = shown >= VIEWS && p95 <= LIMIT;
  console.log(`opened in ${opened.toFixed(0)} ms; ${shown} views, ${frames} frames at the end`);
  const ms = (value) => `${value.toFixed(1)} ms`;
  console.log(
    `chat: ${MESSAGES} messages, ${views} views, ${latencies.length} keys while a view streams: ` +
      `typing p50 ${ms(percentile(latencies, 0.5) ?? Number.NaN)}, p95 ${ms(p95)} (limit ${LIMIT}), ` +
      `max ${ms(Math.max(...latencies))}; page heap ${heap.toFixed(0)} MB  ${isWell ? "ok" : "FAIL"}`,
  );
  process.exitCode = isWell ? 0 : 1;
} finally {
  await close();
  await session.close();
  await model.close();
  await servers.close();
  await rm(data, { recursive: true, force: true });
}
