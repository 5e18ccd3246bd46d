// Connects everything of a chat: servers, model, store, page.

import { join } from "node:path";
import { type AppsEvent, createAppsHandler } from "@vitrine/host/remote";
import { finishLogin } from "../auth/finish-login.ts";
import { type LoginFile, openLoginFile } from "../auth/login-file.ts";
import { createServerLogins, type ServerLogins } from "../auth/server-logins.ts";
import { Failure } from "../failure.ts";
import { createQuestions, type Questions } from "../questions/server-questions.ts";
import type { PageApi } from "../stage/page-api.ts";
import { openStage, type Stage, type StageOptions } from "../stage/stage.ts";
import { createChatApi, USER } from "./chat-api.ts";
import type { ChatModel } from "./model/chat-model.ts";
import type { ChatServers } from "./servers/chat-servers.ts";
import { pageKey } from "./store/data-folder.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";
import { createRunningTurns } from "./turn/running-turns.ts";
import { followTools } from "./turn/tool-list.ts";

/** Options of a chat. */
export interface ChatSessionOptions {
  model: ChatModel;
  /** Makes the servers of the user: those of `mcp.json`, or those of a gateway. */
  servers(context: ServersContext): ChatServers;
  /** The folder of the conversations. */
  data: string;
  /** The stored log-ins; by default those of the user. */
  loginFile?: LoginFile;
  port?: number | undefined;
  /** Takes any free port if that one is in use. */
  anyPort?: boolean;
  /** The questions of the servers; by default the chat has its own. */
  questions?: Questions;
  /** Origins of pages that may show the chat in a frame; none by default. */
  embedders?: readonly string[];
  /** Called with every decision about a request of a view. */
  onEvent?(event: AppsEvent): void;
}

/** What servers need of the chat. */
export interface ServersContext {
  questions: Questions;
  /** The conversation whose turn is running. */
  conversation(): string | undefined;
  logins: ServerLogins;
}

/** A running chat. */
export interface ChatSession {
  readonly url: string;
  readonly servers: ChatServers;
  close(): Promise<void>;
}

/** Starts everything; after a failure nothing is left running. */
export async function openChatSession(options: ChatSessionOptions): Promise<ChatSession> {
  const { model, data } = options;
  const key = pageKey(data);
  const store = openSqliteStore(join(data, "conversations.db"));
  const questions = options.questions ?? createQuestions();
  const logins = createServerLogins({
    file: options.loginFile ?? openLoginFile(),
    redirectUrl: () => `${callback}/callback`,
  });
  const turns = createRunningTurns();
  // The page can't send requests before it was opened.
  let api: PageApi = () => new Response(null, { status: 503 });
  const stage = await openChatStage(options, {
    key,
    api: (request) => api(request),
    callback: (parameters) => finishLogin(logins, parameters),
  }).catch(async (error: unknown) => {
    store.close();
    await model.close();
    throw error;
  });
  // Authorization servers accept the address by number as one of the user's own machine.
  const callback = `http://127.0.0.1:${stage.port}`;
  const servers = options.servers({ questions, logins, conversation: () => turns.newest });
  const toolList = followTools(servers);
  const sandbox = `${stage.sandbox.origins.proxy}/`;
  api = createChatApi({
    model,
    store,
    servers,
    questions,
    toolList,
    sandbox,
    turns,
    apps: createAppsHandler({
      clients: servers.clients,
      authorize: () => USER,
      key,
      ...(options.onEvent && { onEvent: options.onEvent }),
      sandbox: {
        entrance: sandbox,
        credential: ({ server, resource, user }) =>
          stage.sandbox.issueCredential({ server, resource, user }, { host: stage.origin }),
      },
    }),
  });
  return {
    url: `${stage.origin}/#key=${key}`,
    servers,
    close: async () => {
      await stage.close();
      if (!options.questions) questions.close();
      toolList.close();
      await servers.close();
      await model.close();
      store.close();
    },
  };
}

/** Another port is fine unless the user asked for a certain one. */
async function openChatStage(
  { port = 0, anyPort, embedders = [] }: ChatSessionOptions,
  options: Omit<StageOptions, "page" | "port">,
): Promise<Stage> {
  try {
    return await openStage({ page: "chat", port, embedders, ...options });
  } catch (error) {
    if (!anyPort || !(error instanceof Failure) || error.code !== "port-taken") throw error;
    return openStage({ page: "chat", embedders, ...options });
  }
}
