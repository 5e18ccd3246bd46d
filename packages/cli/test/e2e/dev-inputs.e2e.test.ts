// How input reaches a tool: by itself, from a nested form, from a saved input, from the history.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });
// A busy machine takes longer.
const SLOW = { timeout: 20_000 };

let project: DevProject;
let stage: DevStage;
beforeAll(async () => {
  project = await makeProject();
  stage = await openDevStage(["node", `${project.folder}/server.mjs`], { runsFirstTool: true });
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await project?.remove();
});

const tool = (name: string): Promise<void> =>
  stage.page.locator(".tools li button", { hasText: name }).first().click();
const run = (): Promise<void> => stage.page.locator("button.run").click();
const result = (): Promise<string | null> => stage.page.locator(".result pre").textContent();
const button = (name: string) => stage.page.getByRole("button", { name, exact: true });

test("the first tool with a view that needs no input runs by itself", async () => {
  await (await stage.view()).getByText("Hello, Plan").waitFor();
  expect(await result()).toBe("Hello, Plan");
});

test("a nested form has lists, objects and alternatives, and sends their values", async () => {
  const { page } = stage;
  await tool("order");
  await page.getByLabel(/^part/).fill("bolt");
  await page.getByLabel(/^count/).fill("2");
  for (const tag of ["one", "two"]) {
    await page.getByRole("button", { name: /^Add (an item|another) to tags$/ }).click();
    await page.getByLabel(new RegExp(`^tags ${tag === "one" ? 1 : 2}`)).fill(tag);
  }
  await button("Move tags 2 up").click();
  await button("Add address").click();
  await button("Add payment").click();
  await page.getByLabel("Kind of payment").selectOption({ label: "invoice" });
  await run();
  // In place, and the first one has the focus.
  await page.getByText("This field is required.").waitFor();
  expect(
    await page.evaluate(() => document.activeElement?.closest(".field")?.textContent),
  ).toContain("city");
  await page.getByLabel(/^city/).fill("Graz");
  await page.getByLabel(/^since/).fill("2026-02-03");
  await run();
  const sent = {
    part: "bolt",
    count: 2,
    size: "small",
    tags: ["two", "one"],
    address: { city: "Graz", since: "2026-02-03" },
    payment: { kind: "invoice", days: 30 },
  };
  await expect.poll(async () => JSON.parse((await result()) ?? "{}"), SLOW).toEqual(sent);

  await button("Remove tags 2").click();
  await button("JSON").first().click();
  const json = page.getByLabel("Arguments");
  expect(JSON.parse(await json.inputValue())).toEqual({ ...sent, tags: ["two"] });
  await json.fill('{"part":"nut","count":1,"size":"large","else":true}');
  await button("JSON").first().click();
  await page.getByText("The fields can't show this input").waitFor();
  await json.fill('{"part":"nut","count":1,"size":"large"}');
  await button("JSON").first().click();
  expect(await page.getByLabel(/^part/).inputValue()).toBe("nut");
});

test("an input is saved under a name, and loaded after a reload", async () => {
  const { page } = stage;
  await button("Saved").click();
  await page.getByLabel("Name of this input").fill("one nut");
  await page.getByLabel("Name of this input").press("Enter");
  await page.getByRole("button", { name: "Saved 1", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel(/^part/).fill("other");
  await page.reload();
  // The tool that was selected last still is. It needs input, so it doesn't run by itself.
  await page.getByRole("heading", { name: "Order a part" }).waitFor();
  await page.getByRole("button", { name: "Saved 1", exact: true }).click();
  await button("one nut").click();
  expect(await page.getByLabel(/^part/).inputValue()).toBe("nut");
  expect(await page.locator(".slot").count()).toBe(0);
});

test("a tool that only the view may call has a badge, and can be run here", async () => {
  const { page } = stage;
  expect(await page.locator(".tools li", { hasText: "view only" }).count()).toBe(1);
  await tool("restock");
  await page.getByText("Only the view may call this tool").waitFor();
  await page.getByLabel(/^part/).fill("nuts");
  await run();
  await expect.poll(result, SLOW).toBe("Restocked nuts");
});

test("a past run is shown again with its input and its result, without another call", async () => {
  const { page } = stage;
  await tool("board");
  await page.getByLabel(/^title/).fill("First");
  await run();
  await (await stage.view()).getByText("Hello, First").waitFor();
  await page.getByLabel(/^title/).fill("Second");
  await run();
  await expect.poll(result, SLOW).toBe("Hello, Second");
  await page.getByRole("tab", { name: "History" }).click();
  const calls = page.locator(".history li");
  expect(await calls.count()).toBe(3);
  await calls.nth(1).getByRole("button").click();
  await expect
    .poll(async () => (await stage.view()).getByText("Hello, First").count(), SLOW)
    .toBe(1);
  expect(await page.getByLabel(/^title/).inputValue()).toBe("First");
  expect(await calls.count()).toBe(3);
  expect(await calls.nth(1).locator("[aria-current=true]").count()).toBe(1);
});
