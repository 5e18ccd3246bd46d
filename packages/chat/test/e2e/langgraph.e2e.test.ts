// The page of examples/chat-ag-ui with an agent of LangGraph. It needs Python, and the network once; without
// them it is skipped.

import type { AppsEvent } from "@vitrine/host/remote";
import { afterAll, beforeAll, test, vi } from "vitest";
import {
  installLangGraph,
  startLangGraph,
} from "../../../../examples/chat-ag-ui/langgraph/start.ts";
import { createRoutes } from "../../../../examples/chat-ag-ui/src/routes.ts";
import { testChatChain } from "./chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

const installed = installLangGraph();
if ("problem" in installed) test.skip(`LangGraph can't be installed: ${installed.problem}`);
else testWith(installed.folder);

function testWith(folder: string): void {
  let stage: ChatStage;
  let agent: Awaited<ReturnType<typeof startLangGraph>> | undefined;
  const recorded: AppsEvent[] = [];

  beforeAll(async () => {
    stage = await openChatStage({
      program: new URL("../../../../examples/chat-ag-ui/src/page.tsx", import.meta.url),
      routes: async ({ model, trips }) => {
        agent = await startLangGraph(folder, { model, trips });
        const log = (event: AppsEvent): void => void recorded.push(event);
        return createRoutes({ model, trips, agent: agent.url, log });
      },
    });
  });
  afterAll(async () => {
    await stage?.close();
    await agent?.close();
  });

  testChatChain("The AG-UI adapter with LangGraph", () => ({
    ...stage,
    denials: () =>
      recorded.flatMap(({ event, tool }) => (/denied|refused/.test(event) ? (tool ?? []) : [])),
  }));
}
