// Views in `vitrine chat`, beyond the chain that every chat passes: display modes, another browser, and
// servers that don't work.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatServers, startChatServers } from "../../../../examples/chat-servers/src/start.ts";
import { CHAIN_SCRIPT } from "../../../chat/test/e2e/chain-script.ts";
import { say, tripsView } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, kitchen, openChatStage } from "./chat-stage.ts";
import { viewPage } from "./dev-project.ts";

let servers: ChatServers;
let stage: ChatStage;
let page: Page;
let folder: string;

const MENU = `
app.ontoolinput = ({ arguments: { dish } }) => { $("menu").textContent = "asked for " + dish; };
app.ontoolresult = ({ content }) => { $("menu").textContent = content[0].text; };
app.ontoolcancelled = ({ reason }) => { $("menu").textContent = "cancelled: " + reason; };`;

beforeAll(async () => {
  servers = await startChatServers({ waitForPython: false });
  folder = await mkdtemp(join(tmpdir(), "vitrine-kitchen-"));
  await writeFile(join(folder, "menu.html"), await viewPage(MENU, '<p id="menu">Empty</p>'));
  const menu = { ...kitchen, args: [...kitchen.args, join(folder, "menu.html")] };
  const { trips, clock } = servers.mcpJson.mcpServers;
  stage = await openChatStage({
    servers: { trips, clock, kitchen: menu, broken: { command: "no-such-program" } },
    script: {
      turns: [
        {
          when: { user: "book" },
          reply: [{ call: "trips__book_trip", arguments: { destination: "Rome", days: 1 } }],
        },
        {
          when: { user: "menu" },
          reply: [{ call: "kitchen__change_menu", arguments: { dish: "soup" } }],
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
  await rm(folder, { recursive: true, force: true });
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

describe("a view of a call that the user is asked about", () => {
  /** The text of the newest menu. */
  const menu = async (): Promise<string | null | undefined> => {
    const frames = page.frames().filter((frame) => frame.parentFrame()?.parentFrame());
    return frames
      .at(-1)
      ?.locator("#menu")
      .textContent({ timeout: 500 })
      .catch(() => undefined);
  };

  it("starts when the call is allowed, and gets the result", async () => {
    await page.getByTestId("new-conversation").click();
    await say(page, "Change the menu");
    const approval = page.getByTestId("approval");
    await approval.waitFor();
    expect(await page.locator("mcp-app").count()).toBe(0);
    await approval.getByRole("button", { name: "Allow once" }).click();
    await expect.poll(menu, { timeout: 20_000 }).toBe("The menu has soup.");
  });

  it("shows that the call was denied", async () => {
    await page.getByTestId("new-conversation").click();
    await say(page, "Change the menu");
    await page.getByTestId("approval").getByRole("button", { name: "Deny" }).click();
    await page.getByText("Denied by you").waitFor();
    await expect.poll(menu, { timeout: 20_000 }).toMatch(/^cancelled: /);
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
