// A server behind a real authorization server, in the dev host.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openLoginFile } from "../../src/auth/login-file.ts";
import { type LockedServer, startLockedServer } from "../auth/locked-server.ts";
import { closePages, type DevStage, openDevStage, viewPage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000 });

let vault: LockedServer;
let stage: DevStage;
let folder: string;
const sent: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-dev-login-"));
  const view = await viewPage(
    `app.ontoolresult = ({ content }) => { $("result").textContent = content[0].text; };`,
    `<p id="result"></p>`,
  );
  vault = await startLockedServer({ view });
  stage = await openDevStage([vault.url], {
    loginFile: openLoginFile(join(folder, "logins.json")),
    record: join(folder, "session.json"),
  });
  stage.page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => sent.push(String(payload))),
  );
  await stage.page.reload();
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await vault?.close();
  await rm(folder, { recursive: true, force: true });
});

async function logIn(button: string): Promise<void> {
  const opened = stage.page.waitForEvent("popup");
  await stage.page.locator(".login-banner").getByRole("button", { name: button }).click();
  const login = await opened;
  const name = login.locator("input[name=login]");
  const next = login.locator("button[type=submit]", { hasText: "Continue" });
  await name.or(next).first().waitFor();
  if (await name.isVisible()) {
    await name.fill("ann");
    await login.locator("input[name=password]").fill("any");
    await login.locator("button[type=submit]").click();
  }
  await next.click();
  await login.getByText(`You are logged in to ${vault.url}.`).waitFor();
  expect(await login.evaluate(() => window.opener)).toBeNull();
  await login.close();
}

const run = async (tool: string): Promise<void> => {
  await stage.page.locator(".tools li button", { hasText: tool }).first().click();
  await stage.page.getByRole("button", { name: /^Run/ }).click();
};

test("asks for a log-in, shows its steps, and then the view of a tool", async () => {
  const { page } = stage;
  await page.getByText("Needs log-in").waitFor();
  await page.getByText(`${vault.url} wants you to log in.`).waitFor();
  await logIn("Log in");
  await page.locator(".status", { hasText: "Ready" }).waitFor();
  await run("read_secret");
  await (await stage.view()).getByText("The vault is open.").waitFor();

  await page.getByRole("tab", { name: "Log-in" }).click();
  await page.getByText("You are logged in.").waitFor();
  const steps = await page.locator(".login-steps h3").allTextContents();
  expect(steps.map((text) => text.split(/ (?=The|Vitrine|You|An )/)[0])).toEqual([
    "Challenge",
    "Resource metadata",
    "Issuer metadata",
    "Registration",
    "Authorization",
    "Callback",
    "Code exchange",
  ]);
  await page.getByRole("tab", { name: "Run" }).click();
});

test("asks again when a tool needs another scope", async () => {
  const { page } = stage;
  await run("open_safe");
  await page.getByText(`${vault.url} wants another scope: safe`).waitFor();
  await logIn("Log in again");
  await page.locator(".login-banner").waitFor({ state: "detached" });
  await page.locator(".status", { hasText: "Ready" }).waitFor();
  await run("open_safe");
  await page.locator(".result pre", { hasText: "The safe is open." }).waitFor();
});

test("keeps the tokens from the page and from the recording", async () => {
  const { logins } = JSON.parse(await readFile(join(folder, "logins.json"), "utf8"));
  const { access_token: token, refresh_token: refresh } = logins[0].tokens;
  expect(token.length).toBeGreaterThan(20);
  await expect.poll(() => sent.length).toBeGreaterThan(3);
  expect(await stage.page.content()).not.toContain(token);
  await stage.session.close();
  const recording = await readFile(join(folder, "session.json"), "utf8");
  for (const secret of [token, refresh]) {
    expect(recording).not.toContain(secret);
    expect(sent.filter((text) => text.includes(secret))).toEqual([]);
  }
});
