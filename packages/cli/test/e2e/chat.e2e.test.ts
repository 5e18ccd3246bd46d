// The page of `vitrine chat`: conversations with a scripted model, in Chromium.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { say } from "../../../chat/test/e2e/chat-chain.ts";
import { type ChatStage, kitchen, MODEL_KEY, openChatStage } from "./chat-stage.ts";

const RIVERS = `## Rivers

A **table** with \`code\` &amp; more:

| River | Length |
|---|---:|
| Danube | 2850 km |

- [x] done
- nested
  1. one

\`\`\`ts
const isLess = 1 < 2;
\`\`\`

See [the docs](https://example.com/docs), [this](javascript:alert(1)) and ![a picture](https://evil.example/pixel.png).

<img src="https://evil.example/html.png" onerror="alert(1)">`;

let stage: ChatStage;
beforeAll(async () => {
  stage = await openChatStage({
    servers: { kitchen },
    script: {
      turns: [
        { when: { user: "rivers" }, reply: [{ text: RIVERS, pace: 5 }] },
        {
          when: { user: "slowly" },
          reply: [{ text: "One word after another. ".repeat(400), pace: 20 }],
        },
        {
          when: { user: "break" },
          times: 1,
          reply: [{ error: `Bad key ${MODEL_KEY}`, status: 401 }],
        },
        {
          when: { user: "empty" },
          reply: [{ call: "kitchen__empty_fridge", arguments: { shelf: "top" } }],
        },
        { when: { user: "events" }, reply: [{ call: "kitchen__list_events" }] },
        { when: { user: "environment" }, reply: [{ call: "kitchen__read_environment" }] },
        { when: { user: "guest" }, reply: [{ call: "kitchen__ask_guest" }] },
        { when: { after: "*" }, reply: [{ text: "Result: {{result}}" }] },
        { reply: [{ text: "You said: {{user}}" }] },
      ],
    },
  });
});
afterAll(() => stage.close());
afterEach(async () => {
  await stage.page.getByTestId("new-conversation").click();
});

const answers = () => stage.page.locator('[data-role="assistant"]');

const isSlow = ({ request }: { request: { user: string } }): boolean =>
  request.user.includes("slowly, please");

describe("a conversation", () => {
  it("streams Markdown with tables, lists and code, and shows HTML as text", async () => {
    const { page } = stage;
    await say(page, "Tell me about rivers");
    const answer = answers().last();
    await answer.getByText("onerror").waitFor();
    expect(await answer.locator("h3").textContent()).toBe("Rivers");
    expect(await answer.locator("td").allTextContents()).toEqual(["Danube", "2850 km"]);
    expect(await answer.locator("pre code").textContent()).toBe("const isLess = 1 < 2;");
    expect(await answer.locator("li").count()).toBe(3);
    expect(await answer.textContent()).toContain("code & more");
    expect(await answer.locator("img, script").count()).toBe(0);
  });

  it("requests no address of a message, and shows the host of each link", async () => {
    const { page } = stage;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await say(page, "Tell me about rivers");
    const answer = answers().last();
    await answer.getByText("onerror").waitFor();
    const links = answer.locator("a");
    const addresses = await links.evaluateAll((all) =>
      all.map((link) => link.getAttribute("href")),
    );
    expect(addresses).toEqual(["https://example.com/docs", "https://evil.example/pixel.png"]);
    expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer");
    expect(await answer.textContent()).toContain("the docs (example.com)");
    // The page itself, and the sandbox that it warms up.
    const others = requests.filter((url) => !new URL(url).hostname.endsWith(".localhost"));
    expect(others).toEqual([]);
  });

  it("stops an answer, keeps what there was, and goes on", async () => {
    const { page } = stage;
    await say(page, "Write slowly");
    await answers().last().getByText("One word").waitFor();
    await page.getByTestId("stop").click();
    await page.getByTestId("send").waitFor();
    expect(await answers().last().textContent()).toContain("You stopped this answer.");
    await page.reload();
    await answers().getByText("You stopped this answer.").waitFor();
    expect(await answers().last().textContent()).toContain("One word");
    await say(page, "Hello");
    await page.getByText("You said: Hello").waitFor();
    expect(stage.model.requests.some(({ state }) => state === "stopped")).toBe(true);
  });

  it("shows an error of the model without the key, and tries again", async () => {
    const { page } = stage;
    await say(page, "Please break");
    const error = page.getByTestId("error");
    await error.waitFor();
    expect(await error.textContent()).toContain("rejected the API key");
    expect(await error.textContent()).not.toContain(MODEL_KEY);
    await error.getByRole("button", { name: "Try again" }).click();
    await page.getByText("You said: Please break").waitFor();
    expect(await error.count()).toBe(0);
  });

  it("explains that the chat isn't running, and sends the message again", async () => {
    const { page } = stage;
    await page.route("**/api/chat", (route) => route.abort());
    await say(page, "Are you there?");
    await page.getByTestId("error").getByText("the chat isn't running").waitFor();
    await page.unroute("**/api/chat");
    await page.getByTestId("error").getByRole("button", { name: "Try again" }).click();
    await page.getByText("You said: Are you there?").waitFor();
  });

  it("replaces an answer when the user tries again", async () => {
    const { page } = stage;
    await say(page, "Hello");
    await page.getByText("You said: Hello").waitFor();
    const before = stage.model.requests.length;
    await page.getByTestId("retry").click();
    await expect.poll(() => stage.model.requests.length).toBe(before + 1);
    await page.getByText("You said: Hello").waitFor();
    await page.getByTestId("retry").waitFor();
    expect(await answers().count()).toBe(1);
  });

  it("goes on while another one is shown, and a deleted one doesn't come back", async () => {
    const { page } = stage;
    await say(page, "Write slowly, please");
    await answers().last().getByText("One word").waitFor();
    await page.getByTestId("new-conversation").click();
    await say(page, "Hello");
    await page.getByText("You said: Hello").waitFor();
    const slow = page.getByTestId("conversation").filter({ hasText: "slowly, please" });
    await slow.locator(".title").click();
    const before = (await answers().last().textContent())?.length ?? 0;
    await expect
      .poll(async () => (await answers().last().textContent())?.length)
      .toBeGreaterThan(before);
    await slow.getByRole("button", { name: "Delete" }).click();
    await slow.getByRole("button", { name: "Delete" }).click();
    await slow.waitFor({ state: "detached" });
    await expect.poll(() => stage.model.requests.findLast(isSlow)?.state).toBe("stopped");
    await page.reload();
    await page.getByTestId("composer").waitFor();
    expect(await slow.count()).toBe(0);
  });

  it("is listed, renamed, restored after a reload and in another browser, and deleted", async () => {
    const { page } = stage;
    await say(page, "Remember the Danube");
    await page.getByText("You said: Remember the Danube").waitFor();
    const item = page.getByTestId("conversation").filter({ hasText: "Remember the Danube" });
    await item.hover();
    await item.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("My river");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "My river" }).waitFor();

    await page.reload();
    await page.getByText("You said: Remember the Danube").waitFor();
    const other = await stage.open();
    await other.getByRole("button", { name: "My river", exact: true }).click();
    await other.getByText("You said: Remember the Danube").waitFor();
    await other.close();

    const renamed = page.getByTestId("conversation").filter({ hasText: "My river" });
    await renamed.hover();
    await renamed.getByRole("button", { name: "Delete" }).click();
    await renamed.getByRole("button", { name: "Delete" }).click();
    await renamed.waitFor({ state: "detached" });
    expect(await answers().count()).toBe(0);
  });
});

describe("calls of the model", () => {
  it("run without a question if the tool only reads, with arguments, time and result", async () => {
    const { page } = stage;
    await say(page, "List the events");
    await answers()
      .getByText(/Result:.*nothing/)
      .waitFor();
    const row = page.getByTestId("tool-call").last();
    expect(await row.textContent()).toMatch(/List events.*kitchen.*\d+ ms/);
    await row.click();
    await row.getByText("Arguments").waitFor();
    await row.getByText("nothing", { exact: true }).waitFor();
    expect(await page.getByTestId("approval").count()).toBe(0);
  });

  it("don't run if the user denies them", async () => {
    const { page } = stage;
    await say(page, "Empty it");
    const question = page.getByTestId("approval");
    await question.waitFor();
    expect(await question.textContent()).toMatch(/kitchen.*Empty the fridge.*shelf.*top/);
    await question.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Denied by you").waitFor();
    await page.getByTestId("send").waitFor();
    await say(page, "List the events");
    await answers()
      .getByText(/Result:.*nothing/)
      .waitFor();
    await page.reload();
    await page.getByText("Denied by you").waitFor();
  });

  it("are allowed once, for a conversation, or always until that is revoked", async () => {
    const { page } = stage;
    const allow = async (name: string): Promise<void> => {
      await say(page, "Empty it");
      await page.getByTestId("approval").getByRole("button", { name }).click();
      await answers()
        .last()
        .getByText(/Result:.*The top shelf is empty/)
        .waitFor();
    };
    await allow("Allow once");
    await allow("Allow in this conversation");
    await say(page, "Empty it again");
    await vi.waitFor(async () =>
      expect(
        await answers()
          .getByText(/Result:.*The top shelf is empty/)
          .count(),
      ).toBe(3),
    );
    await page.getByTestId("new-conversation").click();
    await allow("Always allow");
    await page.getByTestId("new-conversation").click();
    await say(page, "Empty it");
    await answers()
      .getByText(/Result:.*The top shelf is empty/)
      .waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    const always = page.locator(".grants li").filter({ hasText: "always" });
    await always.getByRole("button", { name: "Revoke" }).click();
    await always.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Close" }).click();
    await say(page, "Empty it");
    await page.getByTestId("approval").waitFor();
  });

  it("can't be answered any more once the user has gone on", async () => {
    const { page } = stage;
    await say(page, "Empty it");
    await page.getByTestId("approval").waitFor();
    await say(page, "Never mind");
    await answers().getByText("You said: Never mind").waitFor();
    await page.getByText("Not answered").waitFor();
    expect(await page.getByTestId("approval").count()).toBe(0);
  });

  it("give a server neither the model's key nor other variables of the environment", async () => {
    const { page } = stage;
    process.env.ANTHROPIC_API_KEY = MODEL_KEY;
    try {
      await say(page, "Read the environment");
      await answers().getByText("PATH").first().waitFor();
      expect(await answers().last().textContent()).not.toContain("ANTHROPIC");
    } finally {
      delete process.env.ANTHROPIC_API_KEY;
    }
  });
});

describe("a server's question", () => {
  it("is a form in the conversation, and its answer goes to the server", async () => {
    const { page } = stage;
    await say(page, "Ask the guest");
    const form = page.getByTestId("question");
    await form.getByText("What would you like to eat?").waitFor();
    await form.getByLabel("Dish").selectOption("soup");
    await form.getByLabel("Spicy").check();
    await form.getByRole("button", { name: "Send answer" }).click();
    await answers().last().getByText("Result:").waitFor();
    const text = await answers().last().textContent();
    expect(text).toContain('{"action":"accept","content":{"dish":"soup","guests":2,"spicy":true}}');
  });

  it.each([
    ["Decline", "decline"],
    ["Cancel", "cancel"],
  ])("can be answered with %s", async (button, action) => {
    const { page } = stage;
    await say(page, "Ask the guest");
    await page.getByTestId("question").getByRole("button", { name: button }).click();
    await answers().last().getByText("Result:").waitFor();
    expect(await answers().last().textContent()).toContain(`{"action":"${action}"}`);
  });
});

describe("the page", () => {
  it("never receives the key of the model", async () => {
    await say(stage.page, "Hello");
    await stage.page.getByText("You said: Hello").last().waitFor();
    expect(stage.received.length).toBeGreaterThan(10);
    expect(stage.received.filter((text) => text.includes(MODEL_KEY))).toEqual([]);
    expect(stage.received.some((text) => text.includes("You said: "))).toBe(true);
  });

  it("fits a phone: the list is a drawer, and nothing is wider than the screen", async () => {
    const page = await stage.open({ width: 360, height: 740 });
    await say(page, "Tell me about rivers");
    await page.getByText("onerror").waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    expect(await page.getByTestId("new-conversation").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByTestId("new-conversation").click();
    await page.getByText("What would you like to do?").waitFor();
    const send = await page.getByTestId("send").boundingBox();
    expect(send?.height).toBeGreaterThanOrEqual(44);
    await page.close();
  });
});
