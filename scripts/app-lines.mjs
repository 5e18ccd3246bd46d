// Counts the lines of examples/chat-ai-sdk that a chat without apps wouldn't have: the files that exist
// only for apps, and in the others the lines that name something of Vitrine. Blank lines, comments and
// closing brackets don't count.

import { readFile } from "node:fs/promises";

const ROOT = new URL("../examples/chat-ai-sdk/", import.meta.url);
const LIMIT = 40;
const FOR_APPS = ["lib/apps.ts", "app/api/apps/route.ts", "app/api/sample/route.ts"];
const MIXED = {
  "app/api/chat/route.ts": /vitrine|prepareTurn|clients|lib\/apps/,
  "app/chat.tsx": /vitrine|[Aa]pps|Mcp|sandbox|webStore|sample|part=\{part\}|isRunning=\{/,
};

const isCode = (line) => line.trim() !== "" && !/^\s*(\/\/|\/\*|\*)/.test(line);
const hasWords = (line) => /[A-Za-z]/.test(line);

async function linesOf(path) {
  const text = await readFile(new URL(path, ROOT), "utf8");
  return text.split("\n").filter((line) => isCode(line) && hasWords(line));
}

let total = 0;
for (const path of FOR_APPS) {
  const { length } = await linesOf(path);
  console.log(`${path}: ${length}`);
  total += length;
}
for (const [path, pattern] of Object.entries(MIXED)) {
  const { length } = (await linesOf(path)).filter((line) => pattern.test(line));
  console.log(`${path}: ${length}`);
  total += length;
}
console.log(`app-lines: ${total} of at most ${LIMIT}`);
if (total > LIMIT) process.exitCode = 1;
