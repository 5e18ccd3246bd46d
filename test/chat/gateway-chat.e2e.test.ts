// `npm run chat` in Chromium: the whole chain, through a gateway with two users and an audit log.

import { tailAudit } from "@vitrine/gateway";
import { openSqliteReader } from "@vitrine/gateway/engine";
import { launchChromium } from "@vitrine/internal/chromium";
import type { BrowserContext, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type RunningChat, startChat } from "../../examples/chat/src/start.ts";
import { openShadows, say, testChatChain } from "../../packages/chat/test/e2e/chat-chain.ts";

vi.setConfig({ hookTimeout: 60_000 });

let chat: RunningChat;
let context: BrowserContext;
let closeChromium: () => Promise<void>;
const received: string[] = [];

beforeAll(async () => {
  chat = await startChat();
  const launched = await launchChromium({ viewport: { width: 1280, height: 800 } });
  context = launched.context;
  closeChromium = launched.close;
});
afterAll(async () => {
  await closeChromium?.();
  await chat?.close();
});

/** Opens a page that notes everything it receives. */
async function newPage(): Promise<Page> {
  const page = await context.newPage();
  await openShadows(page);
  page.on("response", (response) => {
    received.push(response.url(), JSON.stringify(response.headers()));
    response.text().then(
      (text) => received.push(text),
      () => undefined,
    );
  });
  return page;
}

/** Logs a user in, as they would. */
async function logIn(user: string, token = chat.gateway.tokens[user] ?? ""): Promise<Page> {
  const page = await newPage();
  await page.goto(chat.login);
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  return page;
}

async function deniedTools(user: string): Promise<string[]> {
  const tools: string[] = [];
  const reader = openSqliteReader({ folder: chat.audit });
  for await (const { actor, tool, decision } of tailAudit({ log: reader.log, last: 10_000 })) {
    const isDeclined = decision?.verdict === "deny" && decision.link === "host";
    if (isDeclined && actor?.user === user && tool !== undefined) tools.push(tool);
  }
  reader.close();
  return tools;
}

testChatChain("vitrine chat through a gateway", () => ({
  open: async () => {
    const page = await logIn("ann");
    await page.getByTestId("composer").waitFor();
    await page.getByTestId("new-conversation").click();
    return page;
  },
  model: chat.model,
  events: () => chat.servers.events(),
  denials: () => deniedTools("ann"),
}));

describe("users of a gateway", { timeout: 60_000 }, () => {
  test("don't see each other's conversations", async () => {
    const ann = await logIn("ann");
    await ann.getByTestId("composer").waitFor();
    await ann.getByTestId("new-conversation").click();
    await say(ann, "What do I see?");
    await ann.getByText("You see a trip.").waitFor();
    const ben = await logIn("ben");
    await ben.getByTestId("composer").waitFor();
    expect(new URL(ben.url()).origin).not.toBe(new URL(ann.url()).origin);
    expect(await ben.getByText("What do I see?").count()).toBe(0);
    await ann.close();
    await ben.close();
  });

  test("are rejected with a wrong token", async () => {
    const page = await logIn("nobody", "wrong");
    await page.getByRole("alert").filter({ hasText: "doesn't accept" }).waitFor();
    await page.close();
  });

  test("can't be logged in by another site, or under another name of this machine", async () => {
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${chat.login}login`.replace("vitrine.localhost", "127.0.0.1"), {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ token: chat.gateway.tokens.ann ?? "" }),
        redirect: "manual",
      });
    expect((await send({ origin: "https://evil.example" })).status).toBe(421);
    expect((await send({})).status).toBe(421);
  });

  test("have tokens that no page ever receives", async () => {
    const texts = received.join("\n");
    expect(texts.length).toBeGreaterThan(10_000);
    for (const token of Object.values(chat.gateway.tokens)) expect(texts).not.toContain(token);
  });
});

test("the gateway's own command lists the denied call", async () => {
  const { command } = await import("../../packages/cli/src/gateway/gateway-command.ts");
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const terminal = { isInteractive: false, print: () => {}, complain: () => {} };
  const line = ["audit", "tail", "--folder", chat.audit, "--denied", "--last", "100"];
  const code = await command.run(line, terminal as never);
  vi.restoreAllMocks();
  expect(code).toBe(0);
  expect(written.join("")).toMatch(/deny +host: consent-required +chat\/ann +trips +tools\/call/);
});
