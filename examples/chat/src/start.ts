// Everything of `npm run chat`: four servers, a gateway with two users, a scripted model and the chat.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatServers, startChatServers } from "@vitrine/example-chat-servers";
import { CHAIN_SCRIPT } from "../../../packages/chat/test/e2e/chain-script.ts";
import { createGatewayChats } from "../../../packages/cli/src/chat/gateway/gateway-chats.ts";
import { serveLogin } from "../../../packages/cli/src/chat/gateway/login-site.ts";
import { openModel } from "../../../packages/cli/src/chat/model/chat-model.ts";
import { readModelName } from "../../../packages/cli/src/chat/model/model-name.ts";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../../packages/cli/src/chat/scripted-model/scripted-model.ts";
import { DEMO_TURNS } from "./answers.ts";
import { type ChatGateway, startChatGateway } from "./gateway.ts";

/** What runs. */
export interface RunningChat {
  /** The chat of the first user. */
  url: string;
  /** Where the users log in. */
  login: string;
  servers: ChatServers;
  gateway: ChatGateway;
  /** The gateway's folder, for `vitrine gateway audit tail --folder`. */
  audit: string;
  /** The scripted model; it isn't used if another one was chosen. */
  model: ScriptedModel;
  close(): Promise<void>;
}

/** How it starts. */
export interface ChatOptions {
  /** Another model, as `vitrine chat --model` takes it. */
  model?: string | undefined;
  /** Port of the chat of the first user; a free one by default. */
  port?: number;
}

/** Starts everything. Conversations are kept in a temporary folder until `close`. */
export async function startChat({ model: name, port = 0 }: ChatOptions = {}): Promise<RunningChat> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-chat-"));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      for (const end of closers.reverse()) await end();
    })();
    return closing;
  };
  try {
    // The first start installs Python's SDK, and the chat is usable before that.
    const servers = await startChatServers({ waitForPython: false });
    closers.push(() => servers.close());
    const audit = join(folder, "gateway");
    const gateway = await startChatGateway({
      servers: servers.mcpJson.mcpServers,
      users: ["ann", "ben"],
      folder: audit,
    });
    closers.push(() => gateway.close());
    const turns = [...CHAIN_SCRIPT.turns, ...DEMO_TURNS];
    const model = await startScriptedModel({ script: { ...CHAIN_SCRIPT, turns } });
    closers.push(() => model.close());
    const chats = createGatewayChats({
      gateway: new URL(gateway.url),
      model: await openModel(readModelName(name ?? model.url, name ? undefined : "scripted")),
      data: join(folder, "chat"),
    });
    closers.push(() => chats.close());
    const site = await serveLogin(chats, 0);
    closers.push(() => site.close());
    const session = await chats.open(gateway.tokens.ann ?? "", { port, anyPort: true });
    if (!session) throw new Error("The gateway doesn't accept its own token.");
    return { url: session.url, login: site.url, servers, gateway, audit, model, close };
  } catch (error) {
    await close();
    throw error;
  }
}
