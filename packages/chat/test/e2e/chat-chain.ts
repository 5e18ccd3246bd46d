// The chain from the user to a server and back, as tests that every chat has to pass: `vitrine chat` and
// the example of each adapter. A chat marks its composer, its buttons and its messages with the
// attributes below.

import type { Frame, Locator, Page } from "playwright";
import { describe, expect, test } from "vitest";
import type { ScriptedModel } from "../../../cli/src/chat/scripted-model/scripted-model.ts";

/** A chat with the servers of examples/chat-servers and the script of chain-script.ts. */
export interface ChatUnderTest {
  /** Opens an empty conversation. `[data-testid=composer]` is its input. */
  open(): Promise<Page>;
  model: ScriptedModel;
  /** What happened on the server "trips", newest last. */
  events(): string[];
  /** The tools of rejected calls of views, as the chat's server recorded them. */
  denials(): string[] | Promise<string[]>;
}

const TIME = 20_000;

/** Makes closed shadow roots readable for the test: the page itself can't read the consent dialog. */
export async function openShadows(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (window !== window.parent) return;
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      return attach.call(this, { ...init, mode: "open" });
    };
  });
}

/** Types a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator("[data-testid=composer]").fill(text);
  await page.locator("[data-testid=send]").click();
}

/** The newest frame with the view of "trips". */
export async function tripsView(page: Page): Promise<Frame> {
  let found: Frame | undefined;
  await expect
    .poll(
      async () => {
        for (const frame of page.frames()) {
          const isTrips = await frame
            .evaluate(() => !!document.querySelector("#destination"))
            .catch(() => false);
          if (isTrips && !frame.isDetached()) found = frame;
        }
        return found !== undefined;
      },
      { timeout: TIME },
    )
    .toBe(true);
  return found as Frame;
}

/** Answers the host's question with yes. */
export async function agree(page: Page): Promise<void> {
  const allow = page.locator(
    ":is(dialog, [data-vitrine-question]) .allow:not([aria-disabled=true])",
  );
  await allow.first().click({ timeout: TIME });
}

function lastAnswer(page: Page): Locator {
  return page.locator("[data-role=assistant]").last();
}

/** Asks for a trip and waits for its view and the end of the turn. */
async function planTrip(page: Page): Promise<Frame> {
  await say(page, "Please plan a trip");
  const view = await tripsView(page);
  await expect.poll(() => view.textContent("#result"), { timeout: TIME }).toContain("Oslo");
  await expect.poll(() => lastAnswer(page).textContent()).toContain("Here is your plan.");
  return view;
}

function status(view: Frame) {
  return expect.poll(() => view.textContent("#status"), { timeout: TIME });
}

/** The tests of a chat. */
export function testChatChain(name: string, chat: () => ChatUnderTest): void {
  const withPage = (body: (page: Page) => Promise<void>) => async () => {
    const page = await chat().open();
    try {
      await body(page);
    } finally {
      await page.close();
    }
  };

  describe(`${name} connects user, model, views and servers`, { timeout: 90_000 }, () => {
    test(
      "streamed arguments fill the form while the model writes",
      withPage(async (page) => {
        await say(page, "Please plan a trip slowly");
        const view = await tripsView(page);
        const notes = view.locator("#notes");
        await expect
          .poll(() => notes.inputValue(), { timeout: TIME, interval: 5 })
          .toMatch(/^A qu/);
        const early = await notes.inputValue();
        expect(chat().model.requests.at(-1)?.state).toBe("answering");
        await expect.poll(() => notes.inputValue(), { timeout: TIME }).toMatch(/afternoon\.$/);
        expect(early.length).toBeLessThan((await notes.inputValue()).length);
      }),
    );

    test(
      "the view shows the whole result, and the model reads its text",
      withPage(async (page) => {
        const view = await planTrip(page);
        expect(await view.textContent("#result")).toMatch(/3 days in Oslo cost \d+ euros/);
        await status(view).toBe("Ready");
        const body = JSON.stringify(chat().model.requests.at(-1)?.body);
        expect(body).toContain("3 days in Oslo cost");
        expect(body).not.toContain("structuredContent");
      }),
    );

    test(
      "a call of the view runs after the user's consent",
      withPage(async (page) => {
        const view = await planTrip(page);
        const before = chat().events().length;
        await view.locator("#book").click();
        await agree(page);
        await status(view).toBe("Booked");
        expect(chat().events().slice(before)).toContain("booked Oslo");
      }),
    );

    test(
      "a message of the view starts a turn",
      withPage(async (page) => {
        const view = await planTrip(page);
        await view.locator("#message").click();
        await agree(page);
        await expect
          .poll(() => page.locator("[data-role=user]").last().textContent(), { timeout: TIME })
          .toContain("Show me the weather there");
        await expect
          .poll(() => lastAnswer(page).textContent(), { timeout: TIME })
          .toContain("It is sunny in Oslo.");
      }),
    );

    test(
      "what the view tells the model is in its next request",
      withPage(async (page) => {
        const view = await planTrip(page);
        await view.locator("#context").click();
        await status(view).toBe("The model knows");
        await say(page, "What do I see?");
        await expect.poll(() => lastAnswer(page).textContent()).toContain("You see a trip.");
        const body = JSON.stringify(chat().model.requests.at(-1)?.body);
        expect(body).toContain("The user is looking at Oslo for 3 days.");
      }),
    );

    test(
      "the model calls a tool that the view offers",
      withPage(async (page) => {
        const view = await planTrip(page);
        await say(page, "Take the second day");
        await agree(page);
        await expect.poll(() => view.textContent("#day"), { timeout: TIME }).toBe("Day 2");
        await expect
          .poll(() => lastAnswer(page).textContent(), { timeout: TIME })
          .toContain("The second day is selected.");
      }),
    );

    test(
      "a view uses the model after the user's consent",
      withPage(async (page) => {
        const view = await planTrip(page);
        await view.locator("#sample").click();
        await agree(page);
        await expect
          .poll(() => view.textContent("#sampled"), { timeout: TIME })
          .toBe("Oslo lies on a fjord.");
      }),
    );

    test(
      "stop cancels the view and the tool",
      withPage(async (page) => {
        const before = chat().events().length;
        const since = () => chat().events().slice(before);
        await say(page, "Wait for an offer");
        const view = await tripsView(page);
        await expect.poll(since, { timeout: TIME }).toContain("waiting for Bergen");
        await page.locator("[data-testid=stop]").click();
        await status(view).toBe("Cancelled");
        await expect.poll(since, { timeout: TIME }).toContain("cancelled waiting for Bergen");
      }),
    );

    test(
      "a reload restores the conversation and the view's state",
      withPage(async (page) => {
        const view = await planTrip(page);
        await view.locator("#refresh").click();
        await status(view).toBe("Refreshed");
        const shown = await view.textContent("#result");
        await page.waitForTimeout(1000);
        await page.reload();
        await expect
          .poll(() => page.locator("[data-role=assistant]").last().textContent(), { timeout: TIME })
          .toContain("Here is your plan.");
        const restored = await tripsView(page);
        await expect.poll(() => restored.textContent("#result"), { timeout: TIME }).toBe(shown);
      }),
    );

    test(
      "a denied call of the view is recorded and doesn't reach its server",
      withPage(async (page) => {
        const view = await planTrip(page);
        const before = chat().events().length;
        await view.locator("#forbidden").click();
        await status(view).toMatch(/^Failed/);
        expect(chat().events().slice(before)).not.toContain("cancelled all trips");
        await view.locator("#book").click();
        await expect
          .poll(() => page.locator(":is(dialog, [data-vitrine-question]) .deny").count())
          .toBe(1);
        await page.locator(":is(dialog, [data-vitrine-question]) .deny").click();
        await status(view).toMatch(/^Failed/);
        expect(chat().events().slice(before)).not.toContain("booked Oslo");
        await expect.poll(() => chat().denials(), { timeout: TIME }).toContain("book_trip");
      }),
    );
  });
}
