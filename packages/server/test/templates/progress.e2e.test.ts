import type { McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { progress } from "../../src/templates/index.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

/** A job on a real server: told of by `status`, stopped by `stop`. */
class Job {
  percent = 10;
  step = "Cloning";
  isStopped = false;
  isBroken = false;
  refusal: string | undefined;

  register(server: McpServer): void {
    const inputSchema = z.object({ jobId: z.string(), why: z.string().optional() });
    server.registerTool("status", { inputSchema }, async () => {
      if (this.isBroken) throw new Error("The job's machine is away");
      const { percent, step, isStopped } = this;
      const status = isStopped ? "cancelled" : percent >= 100 ? "completed" : "running";
      return { content: [], structuredContent: { percent, step, status } };
    });
    server.registerTool("stop", { inputSchema }, async () => {
      if (this.refusal) return { isError: true, content: [{ type: "text", text: this.refusal }] };
      this.isStopped = true;
      return { content: [{ type: "text", text: "Stopped after 12 files." }] };
    });
  }
}

const STARTED = { structuredContent: { jobId: "J-7", percent: 0, step: "Starting" } };
const POLLED = { pollTool: "status", pollInterval: 250, passOn: ["jobId"] };

const bar = (shown: Shown): Promise<string | null> =>
  shown.frame.getByRole("progressbar").getAttribute("aria-valuenow");
const names = (shown: Shown, tool: string): number =>
  shown.calls.filter(({ name }) => name === tool).length;

test("a tool is asked for the job until it is over, and no longer", async () => {
  const job = new Job();
  const shown = await stage.show(progress({ title: "Index", ...POLLED }), {
    result: STARTED,
    tools: (server) => job.register(server),
  });
  await expect.poll(() => bar(shown)).toBe("10");
  expect(shown.calls[0]).toEqual({ name: "status", arguments: { jobId: "J-7" } });
  Object.assign(job, { percent: 60, step: "Reading" });
  await expect.poll(() => bar(shown)).toBe("60");
  // The previous step is shown as finished.
  expect(await shown.frame.getByRole("listitem").allTextContents()).toEqual([
    "Starting (Finished)",
    "Cloning (Finished)",
  ]);
  Object.assign(job, { percent: 100, step: "Done" });
  await shown.frame.getByText("100%").waitFor();
  const asked = names(shown, "status");
  await shown.page.waitForTimeout(800);
  expect(names(shown, "status")).toBe(asked);
  const said = await shown.frame.locator("main > [role=status]").textContent();
  expect(said).toBe("Finished");
  expect(await shown.violations()).toEqual([]);
  await expect
    .poll(() => shown.page.evaluate(() => JSON.stringify(window.stage.modelContext())))
    .toContain("is done");
});

test("a tool that reports while it runs moves the bar before it answers", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const shown = await stage.show(progress({ pollTool: "run" }), {
    result: { structuredContent: { status: "running" } },
    tools: (server) => {
      server.registerTool("run", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken as string;
        const params = { progressToken, progress: 3, total: 4, message: "Third of four" };
        await mcpReq.notify({ method: "notifications/progress", params });
        await gate;
        return { content: [], structuredContent: { status: "success" } };
      });
    },
  });
  await expect.poll(() => bar(shown)).toBe("75");
  expect(await shown.text()).toContain("Third of four");
  release();
  await expect.poll(() => bar(shown)).toBe("100");
  expect(await shown.text()).toContain("Finished");
});

describe("cancelling", () => {
  test("asks first, with the keyboard alone; Escape keeps it running, yes stops it", async () => {
    const job = new Job();
    const config = { ...POLLED, cancelTool: "stop", cancelArgs: { why: "user" } };
    const shown = await stage.show(
      progress({ title: "Index", cancelConfirm: "Throw away what is done?", ...config }),
      { result: STARTED, tools: (server) => job.register(server) },
    );
    const { keyboard } = shown.page;
    await shown.frame.getByRole("button", { name: "Cancel" }).focus();
    await keyboard.press("Enter");
    const question = shown.frame.getByRole("alertdialog", { name: "Throw away what is done?" });
    await question.waitFor();
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("progress-question-light", [900, 360]);
    expect(await shown.frame.locator(":focus").textContent()).toBe("Keep running");
    await keyboard.press("Escape");
    await expect.poll(() => shown.frame.locator(":focus").textContent()).toBe("Cancel");
    expect(names(shown, "stop")).toBe(0);
    await keyboard.press("Enter");
    await question.waitFor();
    await keyboard.press("Shift+Tab");
    await keyboard.press("Enter");
    await shown.frame.getByText("Stopped after 12 files.").waitFor();
    expect(shown.calls.find(({ name }) => name === "stop")).toEqual({
      name: "stop",
      arguments: { why: "user", jobId: "J-7" },
    });
    expect(await shown.text()).toContain("Cancelled");
    // An interrupted step isn't shown as finished.
    expect(await shown.frame.getByRole("listitem").allTextContents()).toEqual([
      "Starting (Finished)",
    ]);
    const asked = names(shown, "status");
    await shown.page.waitForTimeout(800);
    expect(names(shown, "status")).toBe(asked);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("progress-stopped-light", [360]);
  });

  test("doesn't ask if the config turns the question off", async () => {
    const job = new Job();
    const config = { cancelTool: "stop", cancelConfirm: false, passOn: ["jobId"] };
    const shown = await stage.show(progress(config), {
      result: STARTED,
      tools: (server) => job.register(server),
    });
    await shown.frame.getByRole("button", { name: "Cancel" }).click();
    await shown.frame.getByText("Stopped after 12 files.").waitFor();
    expect(names(shown, "stop")).toBe(1);
  });

  test("that the server refuses shows the reason, and the work goes on", async () => {
    const job = new Job();
    job.refusal = "Too late to stop.";
    const shown = await stage.show(progress({ ...POLLED, cancelTool: "stop" }), {
      result: STARTED,
      tools: (server) => job.register(server),
    });
    await shown.frame.getByRole("button", { name: "Cancel" }).click();
    await shown.frame.getByText("Are you sure you want to cancel?").waitFor();
    await shown.frame.getByRole("button", { name: "Cancel it" }).click();
    await expect.poll(() => shown.frame.getByRole("alert").textContent()).toMatch(/Too late/);
    job.percent = 33;
    await expect.poll(() => bar(shown)).toBe("33");
    expect(await shown.frame.getByRole("button", { name: "Cancel" }).count()).toBe(1);
  });

  test("is not offered without a tool, nor before there is anything to cancel", async () => {
    const shown = await stage.show(progress(), { result: STARTED });
    await expect.poll(() => bar(shown)).toBe("0");
    expect(await shown.frame.getByRole("button").count()).toBe(0);
    const early = await stage.show(progress({ cancelTool: "stop" }), { partialInput: { a: "b" } });
    await early.frame.getByRole("progressbar").waitFor();
    expect(await early.frame.getByRole("button").count()).toBe(0);
  });
});

test("a server that no longer answers is not asked for ever, but again when somebody wants it", async () => {
  const job = new Job();
  job.isBroken = true;
  const shown = await stage.show(progress(POLLED), {
    result: STARTED,
    tools: (server) => job.register(server),
  });
  await shown.frame.getByText("The server no longer reports its progress").waitFor();
  expect(names(shown, "status")).toBe(3);
  expect(await shown.violations()).toEqual([]);
  job.isBroken = false;
  await shown.frame.getByRole("button", { name: "Ask again" }).click();
  await expect.poll(() => bar(shown)).toBe("10");
});

describe("what is shown", () => {
  const result = { structuredContent: { percent: 42.4, currentStep: "Reading files" } };

  test.each([
    [{}, true, true],
    [{ showPercentage: false }, false, true],
    [{ showCurrentStep: false }, true, false],
    [{ showPercentage: true, showCurrentStep: true }, true, true],
  ])("by %j", async (config, hasPercentage, hasStep) => {
    const shown = await stage.show(progress(config), { result });
    await expect.poll(() => bar(shown)).toBe("42");
    expect((await shown.text()).includes("42%")).toBe(hasPercentage);
    expect((await shown.text()).includes("Reading files")).toBe(hasStep);
  });

  test("of a job that failed is why", async () => {
    const structuredContent = { status: "failed", percent: 30, error: "Disk full" };
    const shown = await stage.show(progress(), { result: { structuredContent } });
    await expect.poll(() => shown.frame.getByRole("alert").textContent()).toBe("FailedDisk full");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("progress-failed-light", [360]);
  });

  test("stands still for those who want no motion", async () => {
    const shown = await stage.show(progress(), { input: {} });
    const moving = (): Promise<number> =>
      shown.frame.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBeGreaterThan(0);
    await shown.page.emulateMedia({ reducedMotion: "reduce" });
    await expect.poll(moving).toBe(0);
  });
});
