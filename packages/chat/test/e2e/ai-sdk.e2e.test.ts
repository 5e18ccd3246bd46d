import { afterAll, beforeAll, vi } from "vitest";
import { testChatChain } from "./chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: ChatStage;
const recorded: { event: string; tool?: string }[] = [];

beforeAll(async () => {
  // The example logs what its server half decides.
  vi.spyOn(console, "info").mockImplementation((line) => recorded.push(JSON.parse(line)));
  stage = await openChatStage({
    program: new URL("./ai-sdk-page.tsx", import.meta.url),
    routes: async ({ model, trips }) => {
      vi.stubEnv("MODEL_URL", model);
      vi.stubEnv("TRIPS_URL", trips);
      const [chat, apps, sample] = await Promise.all([
        import("../../../../examples/chat-ai-sdk/app/api/chat/route.ts"),
        import("../../../../examples/chat-ai-sdk/app/api/apps/route.ts"),
        import("../../../../examples/chat-ai-sdk/app/api/sample/route.ts"),
      ]);
      return { "/api/chat": chat.POST, "/api/apps": apps.POST, "/api/sample": sample.POST };
    },
  });
});
afterAll(() => stage.close());

testChatChain("The AI SDK adapter", () => ({
  ...stage,
  denials: () =>
    recorded.flatMap(({ event, tool }) => (/denied|refused/.test(event) ? (tool ?? []) : [])),
}));
