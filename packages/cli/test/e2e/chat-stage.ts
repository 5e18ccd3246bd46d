import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AppsEvent } from "@vitrine/host/remote";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openShadows } from "../../../chat/test/e2e/chat-chain.ts";
import { openLoginFile } from "../../src/auth/login-file.ts";
import { launchChromium } from "../../src/browser/chromium.ts";
import { type ChatSession, openChatSession } from "../../src/chat/chat-session.ts";
import { openModel } from "../../src/chat/model/chat-model.ts";
import { readModelName } from "../../src/chat/model/model-name.ts";
import type { ModelScript } from "../../src/chat/scripted-model/script.ts";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../src/chat/scripted-model/scripted-model.ts";
import { startServers } from "../../src/chat/servers/chat-servers.ts";
import { parseServerList } from "../../src/chat/servers/server-list.ts";

/** A chat with a scripted model, in Chromium. */
export interface ChatStage {
  readonly session: ChatSession;
  readonly model: ScriptedModel;
  readonly page: Page;
  /** The folder of the conversations. */
  readonly data: string;
  /** The decisions about requests of views. */
  readonly events: AppsEvent[];
  /** Every body that a page has received, as text. */
  readonly received: string[];
  /** Opens another page, in a browser profile of its own. */
  open(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

export interface PageOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
}

export interface ChatStageOptions extends PageOptions {
  script: ModelScript;
  /** The servers, as in `mcp.json`. */
  servers?: Record<string, object>;
  /** Uses Anthropic's wire format. */
  provider?: "anthropic";
}

/** The key of the model; no page may see it. */
export const MODEL_KEY = "sk-test-7f3a9c51b2d84e60";

const KITCHEN = fileURLToPath(new URL("chat-fixtures/kitchen.mjs", import.meta.url));

/** A server with tools that read, change and ask. */
export const kitchen = { command: process.execPath, args: [KITCHEN] };

let browser: Browser | undefined;

/** Starts everything. */
export async function openChatStage({
  script,
  servers = {},
  provider,
  ...look
}: ChatStageOptions): Promise<ChatStage> {
  const data = await mkdtemp(join(tmpdir(), "vitrine-chat-"));
  const model = await startScriptedModel({ script, key: MODEL_KEY });
  const chatModel = await openModel(
    readModelName(provider ? `${provider}:scripted` : model.url, "scripted"),
    {
      env: {
        VITRINE_MODEL_KEY: MODEL_KEY,
        ANTHROPIC_API_KEY: MODEL_KEY,
        ANTHROPIC_BASE_URL: model.url,
      },
    },
  );
  const list = parseServerList(JSON.stringify({ mcpServers: servers }), { folder: data, env: {} });
  const events: AppsEvent[] = [];
  const session = await openChatSession({
    onEvent: (event) => events.push(event),
    model: chatModel,
    data,
    loginFile: openLoginFile(join(data, "logins.json")),
    servers: (context) => startServers(list, context),
  });
  const contexts: BrowserContext[] = [];
  const received: string[] = [];
  const open = async ({ width = 1280, height = 800, theme = "light" }: PageOptions = {}) => {
    browser ??= await launchChromium();
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch: width < 480,
    });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await openShadows(page);
    page.on("response", (response) => {
      received.push(JSON.stringify(response.headers()));
      response.text().then(
        (text) => received.push(text),
        () => undefined,
      );
    });
    await page.goto(session.url);
    await page.getByTestId("composer").waitFor();
    return page;
  };
  return {
    session,
    model,
    page: await open(look),
    data,
    events,
    received,
    open,
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await session.close();
      await model.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}
