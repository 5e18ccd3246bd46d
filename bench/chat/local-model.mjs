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

// Written after the design was fixed, and never used to change it.
const PROMPTS = [
  ["I'd like to spend five days in Porto.", "trips__plan_trip"],
  ["Will it rain in Bergen?", "weather__get_weather"],
  ["How late is it in New York?", "clock__get_time"],
  ["Please reserve a week in Salzburg.", "trips__book_trip"],
  ["Repeat after me: hello world", "everything__echo"],
  ["Add 17 and 25.", "everything__get-sum"],
  ["Who wrote Faust?", undefined],
  ["What has happened on my trips so far?", "trips__last_events"],
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
