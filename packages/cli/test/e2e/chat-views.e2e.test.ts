// Views in `vitrine chat`, beyond the chain that every chat passes: display modes, another browser, and
// servers that don't work.

import type { Frame, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatServers, startChatServers } from "../../../../examples/chat-servers/src/start.ts";
import { CHAIN_SCRIPT } from "../../../chat/test/e2e/chain-script.ts";
import { say, tripsView } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

let servers: ChatServers;
let stage: ChatStage;
let page: Page;
beforeAll(async () => {
  servers = await startChatServers({ waitForPython: false });
  const { trips, clock } = servers.mcpJson.mcpServers;
  stage = await openChatStage({
    servers: { trips, clock, broken: { command: "no-such-program" } },
    script: {
      turns: [
        {
          when: { user: "book" },
          reply: [{ call: "trips__book_trip", arguments: { destination: "Rome", days: 1 } }],
        },
        { when: { user: "time" }, reply: [{ call: "clock__*" }] },
        ...CHAIN_SCRIPT.turns,
        { when: { after: "*" }, reply: [{ text: "Done." }] },
      ],
    },
  });
  page = stage.page as never;
});
afterAll(async () => {
  await stage.close();
  await servers.close();
});

async function planTrip(): Promise<Frame> {
  await page.getByTestId("new-conversation").click();
  await say(page, "Please plan a trip");
  await page.getByText("Here is your plan.").waitFor();
  const view = await tripsView(page);
  await view.locator("#result", { hasText: "Oslo" }).waitFor();
  return view;
}

describe("a view", () => {
  it("is restored in another browser, with its state", async () => {
    const view = await planTrip();
    await view.locator("#refresh").click();
    await view.locator("#status", { hasText: "Refreshed" }).waitFor();
    const shown = await view.locator("#result").textContent();
    await page.waitForTimeout(1000);
    const other = (await stage.open()) as never as Page;
    await other.getByTestId("conversation").first().locator(".title").click();
    const restored = await tripsView(other);
    await expect.poll(() => restored.locator("#result").textContent()).toBe(shown);
    await other.close();
  });

  it("fills the conversation in full screen, and the composer stays free", async () => {
    const view = await planTrip();
    await view.locator("#fullscreen").click();
    const composer = await page.locator("#composer").boundingBox();
    const card = page.locator("[data-mode=fullscreen]").last();
    await expect.poll(async () => (await card.boundingBox())?.height).toBeGreaterThan(400);
    const box = await card.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((composer?.y ?? 0) + 1);
    await page.getByTestId("composer").click();
    await page.keyboard.press("Escape");
  });
});

describe("servers", () => {
  it("aren't called if the user denies the model's call, and the call stays denied", async () => {
    await page.getByTestId("new-conversation").click();
    await say(page, "Please book it");
    await page.getByTestId("approval").getByRole("button", { name: "Deny" }).click();
    await page.getByText("Denied by you").waitFor();
    expect(servers.events()).not.toContain("booked Rome");
  });

  it("of the first generation are reached over SSE", async () => {
    await page.getByTestId("new-conversation").click();
    await say(page, "What time is it?");
    await page.getByText("Done.").waitFor();
    expect(await page.getByTestId("tool-call").getAttribute("data-state")).toBe("output-available");
  });

  it("that don't start show their reason and a retry", async () => {
    const server = page.getByTestId("server").filter({ hasText: "broken" });
    await server.getByText("Not connected").waitFor();
    await server.getByText("Why").click();
    await server.getByText(`The program "no-such-program" isn't installed.`).waitFor();
    await server.getByRole("button", { name: "Try again" }).click();
    await server.getByText("Not connected").waitFor();
  });
});
