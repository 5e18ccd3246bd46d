import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closePages, type DevStage, openDevStage, viewPage, violations } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });

const STUDIO = fileURLToPath(new URL("dev-fixtures/studio.mjs", import.meta.url));
const ASKING = fileURLToPath(new URL("../../../../internal/src/asking-stdio.ts", import.meta.url));

let folder: string;
let modern: DevStage;
let legacy: DevStage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-studio-"));
  const page = await viewPage(
    `$("ask").onclick = async () => {
  const content = { type: "text", text: "Name a colour" };
  const answer = await app.createSamplingMessage({ messages: [{ role: "user", content }], maxTokens: 9 });
  $("answer").textContent = answer.content.text;
};
app.ontoolresult = ({ content, isError }) => {
  $("result").textContent = content.length === 0 ? "0 parts" : (isError ? "error: " : "") + content[0].text;
};
app.ontoolcancelled = ({ reason }) => { $("result").textContent = "cancelled: " + reason; };`,
    '<button id="ask">Ask</button> <p id="answer"></p> <p id="result"></p>',
  );
  await writeFile(join(folder, "picture.html"), page);
  modern = await openDevStage(["node", STUDIO, folder], { folder });
  legacy = await openDevStage(["node", ASKING]);
});
afterAll(async () => {
  await modern?.close();
  await legacy?.close();
  await closePages();
  await rm(folder, { recursive: true, force: true });
});

async function run({ page }: DevStage, tool: string, input?: object): Promise<void> {
  await page.locator(".tools li button", { hasText: tool }).first().click();
  const json = page.getByLabel(`Input of ${tool}`).getByRole("button", { name: "JSON" });
  if (input) {
    if ((await json.getAttribute("aria-pressed")) === "false") await json.click();
    await page.getByLabel("Arguments").fill(JSON.stringify(input));
  }
  await page.locator("form.input").getByRole("button", { name: /^Run/ }).click();
}
const result = async ({ page }: DevStage, text: string): Promise<void> =>
  page.locator(".result pre").getByText(text).waitFor();
const question = (page: Page) => page.getByTestId("question");

describe("a server of 2026-07-28", () => {
  test("asks for a form, and gets the author's answer or refusal", async () => {
    const { page } = modern;
    await run(modern, "book");
    const form = question(page);
    await form.getByText("Who is coming?").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await form.getByLabel("Guests").inputValue()).toBe("2");
    await form.getByLabel(/^Name/).fill("Ada");
    await form.getByLabel(/^Room/).selectOption("sea");
    await form.getByRole("button", { name: "Send answer" }).click();
    await result(modern, 'accept: {"name":"Ada","guests":2,"room":"sea"}');
    expect(await form.count()).toBe(0);

    for (const [button, action] of [
      ["Decline", "decline"],
      ["Cancel", "cancel"],
    ] as const) {
      await run(modern, "book");
      await form.getByRole("button", { name: button, exact: true }).click();
      await result(modern, `${action}: null`);
    }
  });

  test("opens a page only when the author clicks, and never one that isn't of the web", async () => {
    const { page } = modern;
    await run(modern, "visit", { url: "javascript:alert(1)" });
    await result(modern, "visit: cancel");
    const { origin } = new URL(page.url());
    await run(modern, "visit", { url: `${origin}/?order=7` });
    await question(page).getByText("/?order=7").waitFor();
    const another = page.context().waitForEvent("page");
    expect(page.context().pages()).toHaveLength(1);
    await question(page).getByRole("button", { name: "Open page" }).click();
    const tab = await another;
    expect(tab.url()).toBe(`${origin}/?order=7`);
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    await tab.close();
    await result(modern, "visit: accept");
  });

  test("asks a model, and the author writes the answer", async () => {
    const { page } = modern;
    await run(modern, "poem");
    await question(page).getByText("You are a poet.").waitFor();
    await question(page).getByText("Write about <b>rain</b>").waitFor();
    expect(await violations(page)).toEqual([]);
    await question(page).getByLabel("Answer").fill("Wet <i>again</i>");
    await question(page).getByRole("button", { name: "Send answer" }).click();
    await result(modern, "poem: Wet <i>again</i>");
  });

  test("a view asks a model, and gets the author's words", async () => {
    const { page } = modern;
    await run(modern, "picture");
    const view = await modern.view();
    await page.mouse.move(640, 500, { steps: 8 });
    await view.getByRole("button", { name: "Ask" }).click();
    const form = question(page);
    await form.getByText("Name a colour").waitFor();
    await form.getByLabel("Answer").fill("Blue");
    await form.getByRole("button", { name: "Send answer" }).click();
    await view.getByText("Blue").waitFor();
  });

  test("the parts of its result are shown by who sees them", async () => {
    const { page } = modern;
    await page.getByRole("tab", { name: "Audiences" }).click();
    const column = (name: string) => page.locator(`[data-audience="${name}"]`);
    await column("Model").getByText("A picture of Sea").waitFor();
    expect(await column("Model").textContent()).not.toMatch(/pixels|only-for-code/);
    await column("View").getByText("pixels").waitFor();
    await column("Only code").getByText('"only-for-code"').waitFor();
    expect(await column("Model").textContent()).toMatch(/\d characters, about \d+ tokens/);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Traffic" }).click();
  });
});

describe("a mock result", () => {
  const outcome = async (label: string): Promise<void> => {
    const { page } = modern;
    await page.getByLabel("Outcome").selectOption(label);
    await page.getByRole("button", { name: "Run with mock" }).click();
  };
  /** The calls that the server answered, which it writes to stderr. */
  const serverCalls = (): number =>
    modern.events.filter((event) => event.kind === "stderr" && event.text.includes("picture"))
      .length;
  const shown = async (): Promise<string | null> =>
    (await modern.view())
      .locator("#result")
      .textContent({ timeout: 500 })
      .catch(() => null);

  test("reaches the view without a call of the server, in every outcome", async () => {
    const { page } = modern;
    await run(modern, "picture");
    await result(modern, "A picture of Sea");
    await page.getByRole("tab", { name: "Scenarios" }).click();
    const before = serverCalls();
    await outcome("An error");
    await expect.poll(shown).toBe("error: The tool failed.");
    await outcome("An empty result");
    await expect.poll(shown).toBe("0 parts");
    await outcome("Cancelled");
    await expect.poll(shown).toBe("cancelled: by the user");
    await outcome("Never answered");
    await page.locator("form.input").getByRole("button", { name: "Cancel" }).click();
    await expect.poll(shown).toBe("cancelled: by the user");
    await page.getByLabel("Outcome").selectOption("A result");
    await page.getByRole("textbox", { name: "Result" }).fill("{");
    await page.getByRole("button", { name: "Run with mock" }).click();
    await page.getByText("Result isn't valid JSON").waitFor();
    const written = { content: [{ type: "text", text: "Written <b>here</b>" }] };
    await page.getByRole("textbox", { name: "Result" }).fill(JSON.stringify(written));
    await page.getByRole("button", { name: "Run with mock" }).click();
    await expect.poll(shown).toBe("Written <b>here</b>");
    await page.getByText("Mock, not from the server").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(serverCalls()).toBe(before);
  });

  test("is saved as a file of the project, and loaded again", async () => {
    const { page } = modern;
    await page.getByRole("tab", { name: "Scenarios" }).click();
    await page.getByLabel("Name", { exact: true }).fill("../Written here");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved as scenarios/written-here.scenario.json.").waitFor();
    const file = join(folder, "scenarios", "written-here.scenario.json");
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      vitrine: "scenario",
      version: 1,
      name: "../Written here",
      tool: "picture",
      input: { title: "Sea" },
      result: { content: [{ text: "Written <b>here</b>" }] },
      host: { theme: "light" },
    });
    await outcome("An error");
    await expect.poll(shown).toBe("error: The tool failed.");
    await page.getByRole("button", { name: "Run ../Written here" }).click();
    await expect.poll(shown).toBe("Written <b>here</b>");
    await page.getByRole("tab", { name: "Traffic" }).click();
  });
});

describe("a running tool", () => {
  test("shows its progress, and its server's log", async () => {
    const { page } = modern;
    await run(modern, "develop");
    await page.getByText("In the darkroom 3 of 8").waitFor();
    expect(await page.locator("progress").getAttribute("value")).toBe("3");
    await page.getByRole("tab", { name: "Logs" }).click();
    await page.locator(".logs").getByText("The red light is on").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator("form.input").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
  });
});

describe("prompts and resources", () => {
  test("a prompt is filled in, and its messages are shown", async () => {
    const { page } = modern;
    await page.getByRole("tab", { name: "Server", exact: true }).click();
    await page.getByRole("button", { name: "describe" }).click();
    await page.getByLabel(/^title/).fill("<b>Sea</b>");
    await page.getByRole("button", { name: "Get prompt" }).click();
    await page.getByText("Describe <b>Sea</b>.").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("resources and templates are read as text, a long one cut", async () => {
    const { page } = modern;
    await page.getByRole("button", { name: "notes" }).click();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByText("text/plain · 300006 characters").waitFor();
    await page.getByText(/200006 more characters$/).waitFor();
    await page.getByRole("button", { name: "film" }).click();
    await page.getByLabel("Address").fill("studio://films/12");
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByText('{"id":"12"}').waitFor();
    await page.getByLabel("Address").fill("studio://unknown");
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page
      .getByRole("alert")
      .getByText(/not found/i)
      .waitFor();
    await page.getByRole("tab", { name: "Run", exact: true }).click();
  });
});

describe("a server of 2025-11-25", () => {
  test("asks the author and a model with requests of its own", async () => {
    const { page } = legacy;
    await run(legacy, "ask", { together: true });
    await expect.poll(() => question(page).count()).toBe(2);
    const first = question(page).filter({ hasText: "Question 1" });
    await first.getByLabel("name").fill("Grace");
    await first.getByRole("button", { name: "Send answer" }).click();
    await question(page).getByRole("button", { name: "Decline" }).click();
    await result(legacy, '[{"action":"accept","content":{"name":"Grace"}},{"action":"decline"}]');

    await run(legacy, "ask", { sample: "How deep is the sea?" });
    await question(page).getByText("How deep is the sea?").waitFor();
    await question(page).getByRole("button", { name: "Decline" }).click();
    await page.getByText("The user declined to answer").first().waitFor();
  });

  test("withdraws its question when the call is cancelled", async () => {
    const { page } = legacy;
    await run(legacy, "ask", {});
    await question(page).waitFor();
    await page.locator("form.input").getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => question(page).count()).toBe(0);
  });
});
