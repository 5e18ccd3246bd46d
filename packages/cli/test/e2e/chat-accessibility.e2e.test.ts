// The chat's page under axe, in both themes and on a phone.

import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { say } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, kitchen, openChatStage } from "./chat-stage.ts";

let stage: ChatStage;
beforeAll(async () => {
  stage = await openChatStage({
    servers: { kitchen, broken: { command: "no-such-program" } },
    script: {
      turns: [
        {
          when: { user: "empty" },
          reply: [
            {
              text: "# Fridge\n\n- [x] milk\n\n| a | b |\n|---|---|\n| 1 | [x](https://a.example) |\n\n```\ncode\n```",
            },
            { call: "kitchen__empty_fridge", arguments: { shelf: "top" } },
          ],
        },
        { when: { user: "guest" }, reply: [{ call: "kitchen__ask_guest" }] },
        { when: { user: "fail" }, reply: [{ error: "Overloaded", status: 500 }] },
        { when: { after: "*" }, reply: [{ text: "Done." }] },
      ],
    },
  });
});
afterAll(() => stage.close());

/** The violations of the page as it is. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run(document, { iframes: false });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

it.each([
  ["light", { theme: "light" }],
  ["dark", { theme: "dark" }],
  ["phone", { theme: "light", width: 360, height: 740 }],
] as const)("has no violation: %s", async (_, look) => {
  const page = await stage.open(look);
  await page.getByTestId("server").getByText("Not connected").waitFor({ state: "attached" });
  expect(await violations(page)).toEqual([]);
  await say(page as never, "Empty it");
  await page.getByTestId("approval").getByRole("button", { name: "Deny" }).waitFor();
  await page.waitForTimeout(600);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Done.").waitFor();
  await say(page as never, "Ask the guest");
  await page.getByTestId("question").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByTestId("send").waitFor();
  await say(page as never, "Please fail");
  await page.getByTestId("error").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.close();
});
