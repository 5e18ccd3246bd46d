// `npm run bench:chat:local`: eight prompts for the small model of `vitrine chat --model local`, with the tools of
// the chat's four servers. It prints how often the right tool was chosen, and whether words alone decided it
// or the model did. Nothing is judged.

import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startChatServers } from "@vitrine/example-chat-servers";
import { findInstalledModel } from "../../packages/cli/src/chat/local-model/installed-model.ts";
import { loadEngine } from "../../packages/cli/src/chat/local-model/llama-engine.ts";
import { startLocalModel } from "../../packages/cli/src/chat/local-model/local-model.ts";
import { rankTools } from "../../packages/cli/src/chat/local-model/tool-ranking.ts";
import { toTable } from "../table.mjs";

const PROMPTS = [
  ["Plan a trip to Lisbon for 4 days.", "trips__plan_trip"],
  ["What's the weather in Vienna?", "weather__get_weather"],
  ["What time is it in Tokyo?", "clock__get_time"],
  ["Book a trip to Graz for 3 days.", "trips__book_trip"],
  ["Echo the message: good morning", "everything__echo"],
  ["Wait for an offer of a hotel in Rome.", "trips__wait_for_offer"],
  ["Tell me a joke about cats.", undefined],
  ["Cancel all my trips.", "trips__cancel_all_trips"],
];

async function toolsOf(name, entry) {
  const mode = name === "clock" ? "legacy" : "auto";
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(
    entry.command
      ? new StdioClientTransport({ ...entry, stderr: "ignore" })
      : entry.type === "sse"
        ? new SSEClientTransport(new URL(entry.url))
        : new StreamableHTTPClientTransport(new URL(entry.url)),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools
    .filter(({ _meta }) => _meta?.ui?.visibility?.includes("model") ?? true)
    .map((tool) => ({
      type: "function",
      function: {
        name: `${name}__${tool.name}`,
        description: tool.description,
        parameters: tool.inputSchema,
      },
    }));
}

let engine;
try {
  engine = await loadEngine(findInstalledModel());
} catch (error) {
  console.error(error.message);
  process.exit(2);
}
const servers = await startChatServers();
const model = await startLocalModel(engine);
const tools = [];
for (const [name, entry] of Object.entries(servers.mcpJson.mcpServers)) {
  tools.push(...(await toolsOf(name, entry)));
}
const rows = [];
let hits = 0;
for (const [content, expected] of PROMPTS) {
  const begun = performance.now();
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: engine.name, messages: [{ role: "user", content }], tools }),
  });
  const { message } = (await response.json()).choices[0];
  const call = message.tool_calls?.[0]?.function;
  const isHit = call?.name === expected;
  hits += Number(isHit);
  const answer = call ? `${call.name} ${call.arguments.replace(/\s+/g, " ")}` : message.content;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const offered = tools.map(({ function: tool }) => ({ description: "", ...tool }));
  const by = rankTools(content, offered, 3).length > 1 ? "model" : "words";
  rows.push([
    content,
    isHit ? "hit" : "miss",
    by,
    `${seconds} s`,
    answer.replace(/\s+/g, " ").slice(0, 90),
  ]);
}
console.log(toTable(["prompt", "tool", "by", "time", "answer"], rows));
console.log(
  `\nlocal model: ${engine.name}, ${tools.length} tools: ${hits} of ${PROMPTS.length} tool choices right`,
);
await model.close();
await servers.close();
