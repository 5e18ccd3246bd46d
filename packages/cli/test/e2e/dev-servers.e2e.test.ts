import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ChatSession } from "../../src/chat/chat-session.ts";
import { parseServerList } from "../../src/chat/servers/server-list.ts";
import { openDevChat, openDevModel } from "../../src/dev/dev-chat.ts";
import { type DevSessions, openDevSessions, startersOf } from "../../src/dev/dev-sessions.ts";
import { closePages, newestView, openDevPage, viewPage, violations } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });

const STUDIO = fileURLToPath(new URL("dev-fixtures/studio.mjs", import.meta.url));
const ASKING = fileURLToPath(new URL("../../../../internal/src/asking-stdio.ts", import.meta.url));

let folder: string;
let dev: DevSessions;
let chat: ChatSession;
let page: Page;
const failures: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-servers-"));
  const html = await viewPage(
    `globalThis.call = (name) => app.callServerTool({ name, arguments: {} }).then(() => "called", ({ message }) => message);`,
    "<p>Picture</p>",
  );
  await writeFile(join(folder, "picture.html"), html);
  const list = parseServerList(
    JSON.stringify({
      mcpServers: {
        studio: { command: "node", args: [STUDIO, folder] },
        asking: { command: "node", args: [ASKING] },
        broken: { command: "no-such-program" },
      },
    }),
    { folder, env: process.env },
  );
  const script = join(folder, "answers.json");
  await writeFile(
    script,
    JSON.stringify({
      turns: [
        { when: { user: "picture" }, reply: [{ call: "*picture" }] },
        { when: { after: "*picture" }, reply: [{ text: "There it is." }] },
        { when: { user: "rain" }, reply: [{ text: "Drops on glass" }] },
      ],
    }),
  );
  const asked = await openDevModel(`script:${script}`, undefined);
  dev = await openDevSessions(startersOf(list), {
    port: 0,
    anyPort: true,
    watch: [],
    folder,
    questions: asked.questions,
    onEvent: () => {},
    onFailure: (name, reason) => failures.push(`${name}: ${reason}`),
  });
  chat = await openDevChat({ ...asked, sessions: dev.sessions, data: join(folder, "chat") });
  page = await openDevPage(dev.first.url);
});
afterAll(async () => {
  await chat?.close();
  await dev?.close();
  await closePages();
  await rm(folder, { recursive: true, force: true });
});

describe("several servers", () => {
  test("have a page each, and a menu that leads to the others", async () => {
    const picker = page.getByRole("combobox", { name: "Server", exact: true });
    expect(await picker.locator("option").allTextContents()).toEqual([
      "studio",
      "asking",
      expect.stringMatching(/^broken: The program "no-such-program" doesn't exist/),
    ]);
    expect(failures).toEqual([expect.stringMatching(/^broken: /)]);
    expect(await picker.locator("option").last().isDisabled()).toBe(true);
    const { origin } = new URL(page.url());
    await picker.selectOption("asking");
    await page.locator(".tools li button", { hasText: "ask" }).waitFor();
    expect(new URL(page.url()).origin).not.toBe(origin);
    expect(await page.locator(".tools li button").count()).toBe(1);
    await picker.selectOption("studio");
    await page.locator(".tools li button", { hasText: "picture" }).waitFor();
  });

  test("keep their tools from the views of the others", async () => {
    await page.locator(".tools li button", { hasText: "picture" }).click();
    await page.locator("form.input").getByRole("button", { name: /^Run/ }).click();
    const view = await newestView(page);
    await view.getByText("Picture").waitFor();
    await expect.poll(() => view.evaluate('call("picture")')).toBe("called");
    expect(await view.evaluate('call("ask")')).not.toBe("called");
  });
});

describe("a model", () => {
  const inChat = () => page.frameLocator(".model-chat");
  /** The texts of views in the chat; the host hides their frames in a closed shadow root. */
  const textsInChat = (): Promise<(string | null)[]> => {
    const { origin } = new URL(chat.url);
    const views = page
      .frames()
      .filter((frame) => frame.parentFrame()?.parentFrame()?.url().startsWith(origin));
    return Promise.all(
      views.map((view) =>
        view
          .locator("p")
          .first()
          .textContent({ timeout: 500 })
          .catch(() => ""),
      ),
    );
  };

  test("calls the same servers in a chat of the page, and the view is shown there", async () => {
    await page.getByRole("tab", { name: "Model chat" }).click();
    await inChat().getByRole("textbox").first().fill("Show the picture");
    await page.keyboard.press("Enter");
    await inChat().getByText("There it is.").waitFor();
    await expect.poll(textsInChat, { timeout: 20_000 }).toContain("Picture");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Run", exact: true }).click();
  });

  test("answers a server that asks for one, if the author wants that", async () => {
    await page.locator(".tools li button", { hasText: "poem" }).click();
    await page.locator("form.input").getByRole("button", { name: /^Run/ }).click();
    await page.getByTestId("question").getByRole("button", { name: "Ask the model" }).click();
    await page.locator(".result pre").getByText("poem: Drops on glass").waitFor();
  });

  test("has a page that only the pages of dev may frame", async () => {
    const policyOf = async (url: string): Promise<string> => {
      const { port } = new URL(url);
      const { headers } = await fetch(`http://127.0.0.1:${port}/`);
      return headers.get("content-security-policy") ?? "";
    };
    const origins = [...dev.sessions.values()].map(({ origin }) => origin).join(" ");
    expect(await policyOf(chat.url)).toMatch(new RegExp(`frame-ancestors ${origins}$`));
    expect(await policyOf(dev.first.url)).toMatch(/frame-ancestors 'none'$/);
  });
});
