// The chats of a gateway's users: each user logs in with a token and gets a page on an origin of its own,
// with a separate folder. Users share the model and nothing else.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { type ChatSession, openChatSession } from "../chat-session.ts";
import type { ChatModel } from "../model/chat-model.ts";
import { reportDeclined, startGatewayServers } from "./gateway-servers.ts";
import { type GatewayUser, readGatewayUser } from "./gateway-user.ts";

/** What the users share. */
export interface GatewayChatsOptions {
  gateway: URL;
  model: ChatModel;
  /** The folder of all users. */
  data: string;
}

/** The chats of all users. */
export interface GatewayChats {
  /** The chat of a token's owner; `undefined` if the gateway doesn't accept the token. */
  open(
    token: string,
    address?: { port?: number; anyPort?: boolean },
  ): Promise<ChatSession | undefined>;
  close(): Promise<void>;
}

/** Opens chats as users log in. */
export function createGatewayChats({ gateway, model, data }: GatewayChatsOptions): GatewayChats {
  const chats = new Map<string, { token: string; session: Promise<ChatSession> }>();
  // A session ends with its user, the model with the process.
  const shared: ChatModel = { ...model, close: async () => {} };

  const start = (
    { tenant, user, servers }: GatewayUser,
    token: string,
    address: { port?: number; anyPort?: boolean },
  ): Promise<ChatSession> => {
    const folder = createHash("sha256")
      .update(JSON.stringify([tenant, user]))
      .digest("hex");
    return openChatSession({
      model: shared,
      data: join(data, "users", folder.slice(0, 32)),
      ...address,
      servers: (context) => startGatewayServers({ gateway, token, servers }, context),
      onEvent: reportDeclined({ gateway, token }),
    });
  };
  return {
    open: async (token, address = {}) => {
      const user = await readGatewayUser({ gateway, token });
      if (!user) return undefined;
      const key = JSON.stringify([user.tenant, user.user]);
      const before = chats.get(key);
      if (before?.token === token) return before.session;
      // A new token: the connections of the former one may not work any more.
      const ended = before?.session.then((session) => session.close()) ?? Promise.resolve();
      const session = ended.catch(() => {}).then(() => start(user, token, address));
      chats.set(key, { token, session });
      session.catch(() => chats.get(key)?.session === session && chats.delete(key));
      return session;
    },
    close: async () => {
      const all = [...chats.values()].map(({ session }) => session);
      chats.clear();
      await Promise.all(all.map((session) => session.then((one) => one.close()).catch(() => {})));
      await model.close();
    },
  };
}
