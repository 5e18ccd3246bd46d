// Log-in to a server with OAuth, with a real authorization server.

import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { say } from "../../../chat/test/e2e/chat-chain.ts";
import { type LockedServer, startLockedServer } from "../auth/locked-server.ts";
import { type ChatStage, openChatStage } from "./chat-stage.ts";

let vault: LockedServer;
let stage: ChatStage;
beforeAll(async () => {
  vault = await startLockedServer();
  stage = await openChatStage({
    servers: { vault: { type: "http", url: vault.url } },
    script: {
      turns: [
        { when: { user: "secret" }, reply: [{ call: "vault__read_secret" }] },
        { when: { after: "*" }, reply: [{ text: "{{result}}" }] },
      ],
    },
  });
});
afterAll(async () => {
  await stage.close();
  await vault.close();
});

it("logs in to a server that needs it, keeps the token from the page, and uses the server", async () => {
  const page = stage.page as never as Page;
  const server = page.getByTestId("server");
  await server.getByText("Needs log-in").waitFor();
  const opened = page.waitForEvent("popup");
  await server.getByRole("button", { name: "Log in" }).click();
  const login = await opened;
  await login.locator("input[name=login]").fill("ann");
  await login.locator("input[name=password]").fill("any");
  await login.locator("button[type=submit]").click();
  await login.locator("button[type=submit]", { hasText: "Continue" }).click();
  await login.getByText(`You are logged in to ${vault.url}.`).waitFor();
  expect(await login.evaluate(() => window.opener)).toBeNull();
  await login.close();

  await server.getByText("Connected").waitFor();
  await say(page, "Read the secret");
  await page.locator("[data-role=assistant]").getByText("The vault is open.").waitFor();
  expect(vault.requests).toContain("POST /reg");
  expect(vault.requests).toContain("POST /token");

  const file = join(stage.data, "logins.json");
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  const { logins } = JSON.parse(await readFile(file, "utf8"));
  const token = String(logins[0].tokens.access_token);
  expect(token.length).toBeGreaterThan(20);
  expect(stage.received.filter((text) => text.includes(token))).toEqual([]);
});
