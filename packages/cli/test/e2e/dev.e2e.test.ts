import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  boardPage,
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
  writeServer,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });

// A busy machine takes longer.
const SLOW = { timeout: 20_000 };

let project: DevProject;
let stage: DevStage;
beforeAll(async () => {
  project = await makeProject();
  stage = await openDevStage(["node", `${project.folder}/server.mjs`], { watch: [project.folder] });
});
afterAll(async () => {
  await stage?.close();
  await closePages();
  await project?.remove();
});

const tool = (name: string): Promise<void> =>
  stage.page.locator(".tools li button", { hasText: name }).first().click();
const run = (): Promise<void> => stage.page.getByRole("button", { name: /^Run/ }).click();

describe("a tool with a View", () => {
  test("runs from its form, and shows its view with input and result next to the text", async () => {
    await tool("board");
    await stage.page.getByLabel("title").fill("Sprint 9");
    await run();
    const view = await stage.view();
    await view.getByText("Hello, Sprint 9").waitFor();
    expect(await view.locator("#title").textContent()).toBe("Sprint 9");
    expect(await stage.page.locator(".result pre").textContent()).toBe("Hello, Sprint 9");
  });

  test("adds every message of both sides to the timeline, with responses paired to requests", async () => {
    const rows = stage.page.locator(".row .method");
    await expect
      .poll(() => rows.allTextContents(), SLOW)
      .toEqual(
        expect.arrayContaining([
          "tools/call",
          "↩tools/call",
          "ui/initialize",
          "↩ui/initialize",
          "ui/notifications/tool-result",
        ]),
      );
    await stage.page.getByLabel("Search messages").fill("initialize");
    await stage.page.locator(".row", { hasText: "↩ui/initialize" }).click();
    await stage.page
      .getByRole("region", { name: "Message", exact: true })
      .getByText("hostCapabilities")
      .waitFor();
    await stage.page.getByRole("button", { name: "Request" }).click();
    await stage.page
      .getByRole("region", { name: "Message", exact: true })
      .getByText("appInfo")
      .waitFor();
    await stage.page.getByLabel("Search messages").fill("");
  });

  test("notifies its view of a change of theme and language", async () => {
    const view = await stage.view();
    await stage.page.getByRole("button", { name: "Dark view theme" }).click();
    await view.getByText(/^dark /).waitFor();
    await stage.page.getByRole("button", { name: "Context" }).click();
    await stage.page.getByLabel("Language").selectOption("ar-EG");
    await view.getByText("dark ar-EG").waitFor();
    await stage.page.keyboard.press("Escape");
    await stage.page.getByRole("button", { name: "Light view theme" }).click();
  });
});

describe("hot reload", () => {
  // The page stays open across tests and retries, so each test compares with the state it finds.
  let edition = 1;
  const countOf = async (): Promise<number> =>
    Number(await (await stage.view()).locator("#count").textContent());

  test("reloads a changed view with the same input, result and state, without a new server", async () => {
    const view = await stage.view();
    const [before, eventsBefore] = [await countOf(), stage.events.length];
    // The host treats a click right after a key, without mouse movement, as stolen focus.
    await stage.page.mouse.move(640, 700, { steps: 8 });
    for (let click = 0; click < 3; click++) await view.locator("#more").click();
    await expect.poll(countOf, SLOW).toBe(before + 3);
    edition += 1;
    await project.write("board.html", await boardPage(`Edition ${edition}`));
    await expect
      .poll(async () => (await stage.view()).locator("h1").textContent(), SLOW)
      .toBe(`Edition ${edition}`);
    const reloaded = await stage.view();
    await reloaded.getByText("Hello, Sprint 9").waitFor();
    await expect.poll(countOf, SLOW).toBe(before + 3);
    await expect.poll(() => stage.page.frames().length, SLOW).toBe(3);
    const kinds = stage.events.slice(eventsBefore).map(({ kind }) => kind);
    expect(kinds).toContain("reloaded");
    expect(kinds).not.toContain("restarted");
  });

  test("keeps state that a view sets just before it is reloaded", async () => {
    const view = await stage.view();
    const before = await countOf();
    // Faster than the host stores it.
    await view.evaluate(() => {
      for (let click = 0; click < 3; click++) document.getElementById("more")?.click();
    });
    await stage.page.getByRole("button", { name: "Reload view" }).click();
    await expect.poll(() => view.isDetached(), SLOW).toBe(true);
    await expect.poll(countOf, SLOW).toBe(before + 3);
  });

  test("restarts a server whose program changed, and keeps the page and its view", async () => {
    const before = await countOf();
    await writeServer(project.write, project.folder, "Servus");
    await expect.poll(() => stage.events.map(({ kind }) => kind), SLOW).toContain("restarted");
    expect(await countOf()).toBe(before);
    await run();
    await (await stage.view()).getByText("Servus, Sprint 9").waitFor();
  });

  test("keeps the last server while the program is broken, and shows the failure", async () => {
    await project.write("server.mjs", "this isn't a program");
    await stage.page.getByText("Failed to start").waitFor();
    await run();
    await (await stage.view()).getByText("Servus, Sprint 9").waitFor();
    await writeServer(project.write, project.folder, "Hello");
    await stage.page.getByText("Ready", { exact: true }).first().waitFor();
  });
});

describe("problems", () => {
  test("a view that fails before it connects is listed with its error and its line", async () => {
    await tool("broken");
    await run();
    await stage.page.getByRole("tab", { name: "Problems 1" }).click();
    const problems = stage.page.locator(".problems");
    await problems
      .getByText(/first line/)
      .first()
      .waitFor();
    await problems.getByText(/^ui:\/\/\S+:1:\d+$/).waitFor();
  });

  test("a request that the policy blocked is shown with the line to add", async () => {
    await tool("blocked");
    await run();
    const fix = stage.page.locator(".fix code");
    await fix.first().waitFor();
    expect(await fix.first().textContent()).toBe('"connectDomains": ["https://api.example.com"]');
    await stage.page.getByRole("tab", { name: "Traffic" }).click();
  });

  test("what the View tells the model and its log are kept apart", async () => {
    await tool("talk");
    await run();
    await stage.page.locator(".inspector").getByRole("tab", { name: "Model" }).click();
    await stage.page.locator(".conversation").getByText("The user looks at Graz").first().waitFor();
    await stage.page.getByRole("tab", { name: "Logs" }).click();
    await stage.page.locator(".logs").getByText("half full").waitFor();
    await stage.page.getByRole("tab", { name: "Traffic" }).click();
  });

  test("an incomplete form shows what is missing, and sends nothing", async () => {
    await tool("order");
    await run();
    await stage.page.getByText("This field is required.").first().waitFor();
    await stage.page.getByLabel(/^part/).fill("x");
    await stage.page.getByLabel(/^count/).fill("1.5");
    await stage.page.getByText("At least 2 characters.").waitFor();
    await stage.page.getByText("Enter a whole number.").waitFor();
    await stage.page.getByLabel(/^part/).fill("bolt");
    await stage.page.getByLabel(/^count/).fill("12");
    await stage.page.getByRole("button", { name: "Add an item to tags" }).click();
    await stage.page.getByLabel(/^tags 1/).fill("m8");
    await run();
    await expect
      .poll(() => stage.page.locator(".result pre").textContent(), SLOW)
      .toBe('{"part":"bolt","count":12,"size":"small","tags":["m8"]}');
  });
});
