// A chat with a model about the servers of dev: the session of `vitrine chat`, over the same
// connections. Its page is shown inside the dev page.

import { join } from "node:path";
import { createSampleHandler } from "@vitrine/chat/ai-sdk/server";
import { USER } from "../chat/chat-api.ts";
import { type ChatSession, openChatSession } from "../chat/chat-session.ts";
import { type ChatModel, openModel } from "../chat/model/chat-model.ts";
import { readModelName } from "../chat/model/model-name.ts";
import type { ServerState } from "../chat/page-state.ts";
import type { ChatServers } from "../chat/servers/chat-servers.ts";
import { defaultDataFolder } from "../chat/store/data-folder.ts";
import { answerSample } from "../chat/turn/sample.ts";
import { createQuestions, type Questions, type Sampler } from "../questions/server-questions.ts";
import type { DevSession } from "./dev-session.ts";
import type { ServerStatus } from "./page-protocol.ts";

/** What the chat shares with the sessions. */
export interface DevChatOptions {
  model: ChatModel;
  /** By name. */
  sessions: ReadonlyMap<string, DevSession>;
  questions: Questions;
  /** The folder of the conversations; one of the user by default. */
  data?: string | undefined;
}

/** Opens the chat, and shows it in the page of each session. */
export async function openDevChat({
  model,
  sessions,
  questions,
  data = join(defaultDataFolder(), "dev"),
}: DevChatOptions): Promise<ChatSession> {
  const chat = await openChatSession({
    model,
    data,
    questions,
    embedders: [...sessions.values()].map(({ origin }) => origin),
    servers: () => serversOf(sessions),
  });
  for (const session of sessions.values()) session.showChat({ url: chat.url, model: model.name });
  return chat;
}

/** Opens the model of the command line, and a list of questions that it can answer. */
export async function openDevModel(
  text: string,
  name: string | undefined,
): Promise<{ model: ChatModel; questions: Questions }> {
  const model = await openModel(readModelName(text, name));
  return { model, questions: createQuestions({ sampler: modelSampler(model) }) };
}

/** Lets the model answer a server or a view that asks for it. */
function modelSampler(model: ChatModel): Sampler {
  const sample = createSampleHandler({ model: model.model, authorize: () => USER });
  return async (params, signal) => {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
      ...(signal && { signal }),
    });
    const response = await answerSample(sample, request, model);
    const text = await response.text();
    if (!response.ok) throw new Error(text.slice(0, 400));
    return JSON.parse(text);
  };
}

function serversOf(sessions: ReadonlyMap<string, DevSession>): ChatServers {
  const named = [...sessions].map(([name, session]) => [nameOf(name, session), session] as const);
  return {
    get states() {
      return named.map(([name, { server }]) => stateOf(name, server.status));
    },
    clients: Object.fromEntries(named.map(([name, { upstream }]) => [name, upstream])),
    retry: async (name) => {
      await named.find(([one]) => one === name)?.[1].server.restart();
    },
    onChange: (listener) => {
      const stops = named.map(([, { server }]) => server.onStatus(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    // The sessions close their servers.
    close: async () => {},
  };
}

/** A single server has the name that it has in its page. */
function nameOf(name: string, { server }: DevSession): string {
  return name === "" ? server.status.name.slice(0, 64) : name;
}

function stateOf(name: string, { state, reason }: ServerStatus): ServerState {
  const about = { name, ...(reason !== undefined && { reason }) };
  if (state === "ready" || state === "replayed") return { ...about, status: "ready" };
  if (state === "starting" || state === "login") return { ...about, status: state };
  return { ...about, status: "failed" };
}
