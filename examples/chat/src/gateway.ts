// The gateway of `npm run chat`: the four servers, two users with a token each, and an audit log in a
// folder. A product uses `vitrine gateway start` with `auth.mode: jwt`; there each server that is a
// program needs its own user of the operating system, which a demonstration can't create.

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { ServerEntry } from "@vitrine/example-chat-servers";
import {
  type Authenticate,
  auditRecorder,
  createAddressGuard,
  createAudit,
  createGateway,
  createHttpUpstream,
  createStdioUpstream,
  createTickets,
  type Upstream,
} from "@vitrine/gateway";
import { openSqliteEngine } from "@vitrine/gateway/engine";

/** A running gateway. */
export interface ChatGateway {
  url: string;
  /** The users' tokens by their names. */
  tokens: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** What the gateway has. */
export interface ChatGatewayOptions {
  servers: Readonly<Record<string, ServerEntry>>;
  users: readonly string[];
  /** Where grants and the audit log are. */
  folder: string;
  /** A free one by default. */
  port?: number;
}

/** Starts a gateway on loopback. */
export async function startChatGateway({
  servers,
  users,
  folder,
  port = 0,
}: ChatGatewayOptions): Promise<ChatGateway> {
  const engine = await openSqliteEngine({ folder });
  const audit = await createAudit({ engine, node: "chat" });
  const tokens = Object.fromEntries(
    users.map((user) => [user, randomBytes(24).toString("base64url")]),
  );
  const gateway = createGateway({
    engine,
    // No page calls it: the chat's own process does.
    origins: [],
    authenticate: authenticatorOf(tokens),
    tickets: createTickets({ keys: [{ id: "chat", secret: randomBytes(32) }] }),
    recorder: auditRecorder(audit),
    servers: Object.fromEntries(
      Object.entries(servers).map(([id, entry]) => [id, { upstream: upstreamOf(id, entry) }]),
    ),
  });
  const { url } = await gateway.listen({ port });
  let closing: Promise<void> | undefined;
  return {
    url,
    tokens,
    close() {
      closing ??= (async () => {
        await gateway.close({ drain: 1_000 });
        await audit.close();
        await engine.close();
      })();
      return closing;
    },
  };
}

function authenticatorOf(tokens: Readonly<Record<string, string>>): Authenticate {
  return async (token) => {
    const given = Buffer.from(token);
    const found = Object.entries(tokens).find(([, known]) => {
      const expected = Buffer.from(known);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return found && { tenant: "chat", user: found[0] };
  };
}

function upstreamOf(id: string, entry: ServerEntry): Upstream {
  if ("command" in entry) {
    // It has no data of a user, so one process serves all of them.
    return createStdioUpstream({ id, argv: [entry.command, ...entry.args], sharing: "all" });
  }
  const { host } = new URL(entry.url);
  return createHttpUpstream({
    id,
    url: entry.url,
    transport: entry.type,
    guard: createAddressGuard({ exempt: [host] }),
  });
}
