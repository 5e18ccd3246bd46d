// The chain that every chat has to pass, for `vitrine chat` with Anthropic's wire format.

import { afterAll, beforeAll } from "vitest";
import { type ChatServers, startChatServers } from "../../../../examples/chat-servers/src/start.ts";
import { CHAIN_SCRIPT } from "../../../chat/test/e2e/chain-script.ts";
import { testChatChain } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

let servers: ChatServers;
let stage: ChatStage;
beforeAll(async () => {
  servers = await startChatServers({ waitForPython: false });
  const { trips } = servers.mcpJson.mcpServers;
  stage = await openChatStage({ servers: { trips }, script: CHAIN_SCRIPT, provider: "anthropic" });
});
afterAll(async () => {
  await stage.close();
  await servers.close();
});

testChatChain("vitrine chat", () => ({
  open: () => stage.open() as never,
  model: stage.model,
  events: () => servers.events(),
  denials: () =>
    stage.events.flatMap(({ event, tool }) => (/denied|refused/.test(event) ? (tool ?? []) : [])),
}));
