// The console in Chromium, over a real gateway (O8).

import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN } from "../admin/stage.ts";
import {
  type ConsoleStage,
  openConsoleStage,
  VIEW,
  violations,
  type Who,
} from "./console-stage.ts";

let stage: ConsoleStage;
let alice: Who;
beforeAll(async () => {
  stage = await openConsoleStage();
  await stage.fill();
  alice = await stage.who("alice@acme.example");
});
afterAll(() => stage?.[Symbol.asyncDispose]());

test("signs in with a token that scripts can't read, and out again", async () => {
  const { page } = await stage.open("#/overview", { role: "none" });
  const field = page.getByLabel("Admin token");
  await field.fill("not the token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This token isn't valid here.").waitFor();
  expect(await violations(page)).toEqual([]);
  await field.fill(ADMIN_TOKEN);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const [cookie] = await stage.context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(await page.evaluate(() => document.cookie + JSON.stringify(localStorage))).toBe("{}");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Admin token").waitFor();
  expect(await stage.context.cookies()).toEqual([]);
  await page.close();
});

/** Each page, and a text that is there once its data is. */
const PAGES: readonly [hash: string, text: string][] = [
  ["#/overview", "Ready"],
  ["#/servers", "archive"],
  ["#/servers/weather", "Changes since approval"],
  ["#/servers/archive", "Down"],
  ["#/live", VIEW],
  ["#/approvals", "transfer_funds"],
  ["#/users", "bob@acme.example"],
  ["#/users?tenant=acme&user=alice%40acme.example", "in the audit log"],
  ["#/grants", "forecast"],
  ["#/audit", "records shown"],
  ["#/registry", "io.github.example/files"],
  ["#/nowhere", "Not found"],
];

test.each([
  ["light", 1400],
  ["dark", 1400],
  ["light", 360],
  ["dark", 360],
] as const)("has no accessibility violation on any page, %s at %i px", async (theme, width) => {
  const { page, complaints } = await stage.open("#/overview", { theme, width });
  for (const [hash, text] of PAGES) {
    await page.goto(`${stage.url}/${hash}`);
    await page.getByText(text).first().waitFor();
    expect([hash, await violations(page)]).toEqual([hash, []]);
    const [wide, view] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    expect([hash, wide]).toEqual([hash, view]);
  }
  expect(complaints).toEqual([]);
  await page.close();
});

test("shows what changed in a tool, and approves exactly that", async () => {
  const { page } = await stage.open("#/servers/weather");
  const card = page.getByRole("article", { name: "forecast" });
  const marked = card.locator("ins mark").first();
  await marked.waitFor();
  expect(await marked.textContent()).toContain("read ~/.ssh/id_rsa");
  await card.getByText("inputSchema.properties.days.maximum").waitFor();
  expect(await card.locator("del").nth(1).textContent()).toContain("7");
  expect((await stage.call(alice, "weather", "forecast", { place: "Graz" })).error).toBeDefined();
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("status").getByText("forecast is approved.").waitFor();
  await page.getByRole("button", { name: "Approve: delete_station" }).waitFor();
  const call = await stage.call(alice, "weather", "forecast", { place: "Graz", context: "" });
  expect(call.result).toBeDefined();
  await page.close();
});

test("pauses a server with a reason, which stops calls, and resumes it", async () => {
  const { page } = await stage.open("#/servers");
  await page.getByRole("button", { name: "Pause weather" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause weather?" });
  expect(await violations(page)).toEqual([]);
  expect(await dialog.getByRole("button", { name: "Cancel" }).evaluate(isFocused)).toBe(true);
  const confirm = dialog.getByRole("button", { name: "Pause" });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("Upgrade");
  await confirm.click();
  await page.getByText("weather is paused.").waitFor();
  const refused = await stage.call(alice, "weather", "forecast", { place: "Graz", context: "" });
  expect(refused.error.data.reason).toBe("paused");
  await page.goto(`${stage.url}/#/servers/weather`);
  await page.getByText("Paused by admin.token").waitFor();
  await page.getByRole("button", { name: "Resume weather" }).click();
  await page.getByText("weather accepts calls again.").waitFor();
  await page.close();
});

test("ends a view and cancels a call; both rows stay, marked", async () => {
  const { socket } = await stage.openView(await stage.who("carol@acme.example"));
  const { page } = await stage.open("#/live");
  const row = page.getByRole("row").filter({ hasText: "carol@acme.example" });
  await row.getByRole("button", { name: "End" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End view" }).click();
  await expect.poll(() => socket.closed).toBe(4401);
  await row.getByText("Ended").waitFor();
  const call = page.getByRole("row").filter({ hasText: "bob@acme.example" });
  await call.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel call" }).click();
  await page.getByText("The call was cancelled.").waitFor();
  await call.getByText("Ended").waitFor();
  await page.close();
});

test("approves a call that waits, once and with these arguments", async () => {
  const given = { from: "DE02 1203 0000", to: "GB33 BUKB 2020" };
  const exact = { ...given, amount: 12_500, currency: "EUR", note: "Invoice 2026-1183" };
  const { page } = await stage.open("#/approvals");
  const card = page.getByRole("article", { name: "transfer_funds" });
  await card.getByText('"amount": 12500').waitFor();
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("transfer_funds on ledger was approved.").waitFor();
  const other = await stage.call(alice, "ledger", "transfer_funds", { ...exact, amount: 12_501 });
  expect(other.error.data.reason).toBe("approval-required");
  const call = await stage.call(alice, "ledger", "transfer_funds", exact);
  expect(call.result).toBeDefined();
  await page.close();
});

test("revokes a grant", async () => {
  const { page } = await stage.open("#/grants?user=bob%40acme.example");
  await page.getByRole("button", { name: "Revoke stations of bob@acme.example" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The grant was revoked.").waitFor();
  expect((await stage.admin.get("/grants?user=bob%40acme.example")).body.items).toEqual([]);
  await page.close();
});

test("searches the audit log by user and verdict, and shows a record", async () => {
  const { page } = await stage.open("#/audit");
  await page.getByLabel("User").fill("mallory@agency.example");
  await page.getByLabel("Verdict").selectOption("deny");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/verdict=deny/);
  await page
    .getByRole("button", { name: /^Details of request/ })
    .first()
    .click();
  await page.getByRole("region", { name: "Record" }).getByText("no-contractors").waitFor();
  const users = await page.locator("tbody .person a").allTextContents();
  expect(new Set(users)).toEqual(new Set(["mallory@agency.example"]));
  await page.close();
});

test("off-boards a user in one step, after a list of what ends, and restores", async () => {
  const dora = await stage.who("dora@acme.example");
  await stage.admin.post("tools/list", {}, { server: "weather", token: dora.token });
  await stage.grant(dora, "weather", "forecast");
  const { page } = await stage.open("#/users?query=dora");
  await page.getByRole("button", { name: "Off-board dora@acme.example" }).click();
  const dialog = page.getByRole("dialog", { name: "Off-board dora@acme.example?" });
  await dialog.getByText("Removed: 1 grant.").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("Reason").fill("Left the company");
  await dialog.getByRole("button", { name: "Off-board" }).click();
  await page.getByText("dora@acme.example is off-boarded.").waitFor();
  const refused = await stage.call(dora, "weather", "forecast", { place: "Graz", context: "" });
  expect(refused?.result).toBeUndefined();
  await page.getByRole("button", { name: "Restore dora@acme.example" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByText("dora@acme.example can sign in again.").waitFor();
  await page.close();
});

test("shows a registry's servers as text, and the configuration that adds one", async () => {
  const { page } = await stage.open("#/registry?search=weather");
  await page.getByText("<img src=x onerror=alert(1)>").waitFor();
  await page.getByRole("button", { name: /for io.github.example\/weather$/ }).click();
  const yaml = page.getByRole("region", { name: "Configuration for io.github.example/weather" });
  await yaml.getByText("url: https://weather.example/mcp").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test("a viewer sees the same pages without any button that changes something", async () => {
  const { page } = await stage.open("#/servers", { role: "viewer" });
  for (const [hash, text] of PAGES) {
    await page.goto(`${stage.url}/${hash}`);
    await page.getByText(text).first().waitFor();
    const names = await page.locator("main button").allTextContents();
    const harmless = /^(Filter|Search|Clear|Details|Newest records|Older records|Show .*)$/;
    expect([hash, names.filter((name) => !harmless.test(name.trim()))]).toEqual([hash, []]);
  }
  await page.close();
});

test("keeps data readable while the gateway doesn't answer, and goes back to sign-in", async () => {
  const { page } = await stage.open("#/servers");
  await page.getByText("archive").waitFor();
  await page.route("**/api/servers", (route) => route.abort());
  await page.getByText("The gateway doesn't answer.").waitFor();
  await page.getByText("archive").waitFor();
  await page.unroute("**/api/servers");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The gateway doesn't answer.").waitFor({ state: "detached" });
  await stage.context.clearCookies();
  await page.getByText("Your session has ended. Sign in again.").waitFor();
  await page.close();
});

test("is used with the keyboard alone: skip to the page, open a server, and go back", async () => {
  const { page } = await stage.open("#/servers");
  await page.getByText("archive").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("heading", { name: "Servers", level: 1 }).evaluate(isFocused)).toBe(
    true,
  );
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { name: "weather", level: 1 });
  await heading.waitFor();
  expect(await heading.evaluate(isFocused)).toBe(true);
  expect(await page.title()).toBe("weather · Servers · Vitrine gateway");
  await page.goBack();
  await page.getByRole("heading", { name: "Servers", level: 1 }).waitFor();
  await page.close();
});

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}
