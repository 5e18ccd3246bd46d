// The page of examples/chat-ag-ui with CopilotKit. It needs the network once, and is skipped without it.

import { join } from "node:path";
import type { AppsEvent } from "@vitrine/host/remote";
import { afterAll, beforeAll, test, vi } from "vitest";
import { installCopilotKit } from "../../../../examples/chat-ag-ui/copilotkit/install.ts";
import { createRoutes } from "../../../../examples/chat-ag-ui/src/routes.ts";
import { testChatChain } from "./chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

const installed = installCopilotKit();
if ("problem" in installed) test.skip(`CopilotKit can't be installed: ${installed.problem}`);
else testWith(installed.folder);

function testWith(folder: string): void {
  let stage: ChatStage;
  const recorded: AppsEvent[] = [];

  beforeAll(async () => {
    stage = await openChatStage({
      program: new URL("../../../../examples/chat-ag-ui/copilotkit/page.jsx", import.meta.url),
      modules: join(folder, "node_modules"),
      routes: ({ model, trips }) =>
        createRoutes({ model, trips, log: (event) => recorded.push(event) }),
    });
  });
  afterAll(() => stage.close());

  testChatChain("The AG-UI adapter with CopilotKit", () => ({
    ...stage,
    denials: () =>
      recorded.flatMap(({ event, tool }) => (/denied|refused/.test(event) ? (tool ?? []) : [])),
  }));
}
