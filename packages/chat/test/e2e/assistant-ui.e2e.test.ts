import type { AppsEvent } from "@vitrine/host/remote";
import { afterAll, beforeAll, vi } from "vitest";
import { createRoutes } from "../../../../examples/chat-assistant-ui/src/routes.ts";
import { testChatChain } from "./chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: ChatStage;
const recorded: AppsEvent[] = [];

beforeAll(async () => {
  stage = await openChatStage({
    program: new URL("../../../../examples/chat-assistant-ui/src/page.tsx", import.meta.url),
    routes: ({ model, trips }) =>
      createRoutes({ model, trips, log: (event) => recorded.push(event) }),
  });
});
afterAll(() => stage.close());

testChatChain("The assistant-ui adapter", () => ({
  ...stage,
  denials: () =>
    recorded.flatMap(({ event, tool }) => (/denied|refused/.test(event) ? (tool ?? []) : [])),
}));
