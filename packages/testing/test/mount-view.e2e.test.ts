import { McpServer } from "@modelcontextprotocol/server";
import { launchChromium } from "@vitrine/internal/chromium";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountView } from "../src/playwright.ts";
import { mountView as mountInVitest } from "../src/vitest.ts";
import { TASK_PAGE, taskApp, tasksResult } from "./task-app.ts";

const VIEWPORT = { viewport: { width: 1024, height: 700 } };
let chromium: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  chromium = await launchChromium(VIEWPORT);
});
afterAll(() => chromium.close());

describe("mountView with Playwright", () => {
  it("shows an app in a strict host and answers its calls", async () => {
    const page = await chromium.context.newPage();
    const view = await mountView(page, taskApp, {
      input: { list: "home" },
      result: tasksResult("Call Ana"),
      tools: { add_task: [tasksResult("Call Ana", "Buy milk"), tasksResult("a", "b", "c")] },
      host: { theme: "dark", locale: "de-DE", width: 360 },
    });
    const { frame } = view;
    await frame.getByText("1 tasks").waitFor();
    expect(await frame.locator("body").evaluate((body) => body.dataset.theme)).toBe("dark");
    expect(await frame.locator("body").getAttribute("lang")).toBe("de-DE");
    expect(await frame.locator("html").evaluate(() => innerWidth)).toBeLessThanOrEqual(360);

    await frame.getByLabel("New task").fill("Buy milk");
    await frame.getByRole("button", { name: "Add" }).click();
    await frame.getByText("Buy milk").waitFor();
    await frame.getByRole("button", { name: "Add" }).click();
    await frame.getByText("3 tasks").waitFor();
    expect(view.calls).toEqual([
      { name: "add_task", arguments: { text: "Buy milk" } },
      { name: "add_task", arguments: { text: "Buy milk" } },
    ]);

    await frame.getByRole("button", { name: "Tell" }).click();
    await expect.poll(() => view.links).toEqual(["https://example.com/"]);
    expect(view.messages[0]?.content).toEqual([{ type: "text", text: "Plan my day" }]);
    expect(view.context).toEqual({ structuredContent: { selected: 1 } });

    await view.setHost({ theme: "light" });
    await expect.poll(() => frame.locator("body").getAttribute("data-theme")).toBe("light");

    // The policy of production: nothing is declared, so nothing can be reached.
    await frame.getByRole("button", { name: "Fetch" }).click();
    await frame.getByText("Blocked").waitFor();
    expect(view.errors).toEqual([]);
    await view.close();
    await expect(view.sendResult(tasksResult())).rejects.toThrow(/closed/);
    await page.close();
  });

  it("delivers a call step by step, and mounts again in the same page", async () => {
    const page = await chromium.context.newPage();
    const view = await mountView(page, TASK_PAGE, { partialInputs: [{ list: "ho" }] });
    const note = view.frame.locator("output");
    await expect.poll(() => note.textContent()).toBe("Reading ho …");
    await view.sendInput({ list: "home" });
    await expect.poll(() => note.textContent()).toBe("List home");
    await view.cancel("Stopped.");
    await expect.poll(() => note.textContent()).toBe("Cancelled: Stopped.");

    const again = await mountView(page, new URL(`data:text/html,${encodeURIComponent("x")}`)).catch(
      (error: unknown) => error,
    );
    expect(again).toMatchObject({ code: "no-view" });
    const failed = await mountView(page, TASK_PAGE, {
      input: { list: "home" },
      result: { isError: true, content: [{ type: "text", text: "No network." }] },
    });
    await failed.frame.getByText("Failed: No network.").waitFor();
    await page.close();
  });

  it("fails a call without an answer and names its tool", async () => {
    const page = await chromium.context.newPage();
    const view = await mountView(page, taskApp, { result: tasksResult() });
    await view.frame.getByRole("button", { name: "Add" }).click();
    await view.frame.getByText(/called the tool "add_task", which has no answer/).waitFor();
    await view.frame.getByRole("button", { name: "Other" }).click();
    await expect
      .poll(() => view.errors.map(({ message }) => message))
      .toEqual([expect.stringContaining('"add_task"'), expect.stringContaining('"remove_all"')]);
    await page.close();
  });

  it("rejects with the reason if the view never connects", async () => {
    const page = await chromium.context.newPage();
    const broken =
      '<!doctype html><title>x</title><script>throw new Error("no such field")</script>';
    await expect(mountView(page, broken, { timeout: 500 })).rejects.toThrow(/no such field/);
    await expect(mountView(page, taskApp, { tool: "show_taks" })).rejects.toThrow(/show_tasks/);
    await page.close();
  });
});

describe("mountView with Vitest", () => {
  it("shows a server's view in the installed Chromium", async () => {
    const server = taskApp.register(new McpServer({ name: "tasks", version: "1.0.0" }));
    const view = await mountInVitest(server, {
      result: tasksResult("One"),
      tools: { add_task: ({ text }) => tasksResult("One", String(text)) },
    });
    await view.frame.getByLabel("New task").fill("Two");
    await view.frame.getByRole("button", { name: "Add" }).click();
    await view.frame.getByText("2 tasks").waitFor();
    expect(view.calls).toEqual([{ name: "add_task", arguments: { text: "Two" } }]);
  });
});
