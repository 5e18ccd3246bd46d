// The routes of the page.

import { createSampleHandler } from "@vitrine/chat/ai-sdk/server";
import type { AppsHandler, AppsUser } from "@vitrine/host/remote";
import type { Questions } from "../questions/server-questions.ts";
import { eventStream } from "./http/event-stream.ts";
import { createRouter, done, type Route } from "./http/router.ts";
import type { ChatModel } from "./model/chat-model.ts";
import type { LiveState, Welcome } from "./page-state.ts";
import { type ChatServers, untilStarted } from "./servers/chat-servers.ts";
import type { ConversationStore } from "./store/conversation-store.ts";
import type { RunningTurns } from "./turn/running-turns.ts";
import { answerSample } from "./turn/sample.ts";
import { factsOf, grantOf } from "./turn/tool-approval.ts";
import type { ToolList } from "./turn/tool-list.ts";
import { answerTurn } from "./turn/turn.ts";

/** The parts of a chat that its page reaches. */
export interface ChatApiOptions {
  model: ChatModel;
  store: ConversationStore;
  servers: ChatServers;
  questions: Questions;
  toolList: ToolList;
  /** The entrance of the sandbox. */
  sandbox: string;
  /** Views and their calls. */
  apps: AppsHandler<AppsUser>;
  turns: RunningTurns;
}

/** The one user of a chat. */
export const USER: AppsUser = { id: "local" };

const LONGEST_KEY = 4096;

/** Answers the page's requests. The stage has checked who sends them. */
export function createChatApi(options: ChatApiOptions): (request: Request) => Promise<Response> {
  const { model, store, servers, questions, toolList, apps, turns } = options;
  const live = (): LiveState => ({
    servers: servers.states,
    questions: questions.open,
    tools: Object.fromEntries([...toolList.named].map(([name, tool]) => [name, factsOf(tool)])),
  });
  const onLive = (listener: () => void): (() => void) => {
    const stops = [servers, questions, toolList].map((part) => part.onChange(listener));
    return () => {
      for (const stop of stops) stop();
    };
  };
  // The stage has checked the page's secret, and a chat has one user.
  const authorize = (): AppsUser => USER;
  const sample = createSampleHandler({ model: model.model, authorize });
  const routes: Record<string, Route> = {
    "GET /api/welcome": () =>
      Response.json({
        model: model.name,
        sandbox: options.sandbox,
        conversations: store.list(),
        answers: store.answers(),
      } satisfies Welcome),
    "GET /api/live": () => eventStream(live, onLive),

    "POST /api/chat": async (request) => {
      await untilStarted(servers, request.signal);
      return answerTurn(request, {
        model,
        store,
        clients: servers.clients,
        open: (view) => apps.open(USER, view),
        onTools: toolList.update,
        turns,
      });
    },
    "POST /api/sample": (request) => answerSample(sample, request, model),
    "ANY /api/apps*": (request) => apps.fetch(request),

    "GET /api/conversations": () => Response.json(store.list()),
    "GET /api/conversations/:id": (_, { id = "" }) => {
      const conversation = store.read(id);
      return conversation ? Response.json(conversation) : done(false);
    },
    "PATCH /api/conversations/:id": async (request, { id = "" }) => {
      const { title } = await readBody<{ title: string }>(request);
      return done(typeof title === "string" && store.rename(id, title));
    },
    "DELETE /api/conversations/:id": (_, { id = "" }) => {
      turns.stop(id);
      return done(store.delete(id));
    },
    "PUT /api/conversations/:id/records/:key": async (request, { id = "", key = "" }) => {
      if (key.length > LONGEST_KEY) return done(false);
      store.setRecord(id, key, await request.json());
      return done();
    },
    "DELETE /api/conversations/:id/records/:key": (_, { id = "", key = "" }) => {
      store.setRecord(id, key, undefined);
      return done();
    },

    "PUT /api/answers/:key": async (request, { key = "" }) => {
      const allow: unknown = await request.json();
      if (typeof allow !== "boolean" || key.length > LONGEST_KEY) return done(false);
      store.setAnswer(key, allow);
      return done();
    },
    "DELETE /api/answers/:key": (_, { key = "" }) => {
      store.setAnswer(key, undefined);
      return done();
    },

    "GET /api/grants": () => Response.json(store.grants()),
    "POST /api/grants": async (request) => {
      const { name, conversation } = await readBody<{ name: string; conversation: string }>(
        request,
      );
      const tool = typeof name === "string" ? toolList.named.get(name) : undefined;
      if (!tool) return done(false);
      const scope = typeof conversation === "string" ? { conversation } : {};
      store.setGrant({ ...grantOf(tool), ...scope }, true);
      return done();
    },
    "POST /api/grants/revoke": async (request) => {
      const { server, tool, definition, conversation } = await readBody<{
        server: string;
        tool: string;
        definition: string;
        conversation: string;
      }>(request);
      const names = [server, tool, definition];
      if (!names.every((name) => typeof name === "string")) return done(false);
      const grant = { server: `${server}`, tool: `${tool}`, definition: `${definition}` };
      store.setGrant(typeof conversation === "string" ? { ...grant, conversation } : grant, false);
      return done();
    },

    "POST /api/questions/:id": async (request, { id = "" }) => {
      const { action, content } = await readBody<{ action: unknown; content: unknown }>(request);
      return done(questions.answer(id, action, content));
    },
    "POST /api/servers/:name/retry": async (_, { name = "" }) => {
      await servers.retry(name);
      return done();
    },
    "POST /api/servers/:name/login": async (_, { name = "" }) => {
      const address = await servers.logIn?.(name);
      return address === undefined ? done(false) : Response.json({ address });
    },
  };
  return createRouter(routes);
}

async function readBody<Fields>(request: Request): Promise<Partial<Fields>> {
  return Object(await request.json()) as Partial<Fields>;
}
