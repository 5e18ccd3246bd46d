// One session for each server of a command, each with its own page on its own origin: a view reaches
// only the server that it came from, and a picker in the pages leads from one to the other.

import type { ServerEntry, ServerList } from "../chat/servers/server-list.ts";
import { Failure, wordsOf } from "../failure.ts";
import type { Target } from "../target/target.ts";
import { type DevServer, type DevServerOptions, startDevServer } from "./dev-server.ts";
import { type DevSession, type DevSessionOptions, openDevSession } from "./dev-session.ts";
import { createServerChoices } from "./server-choices.ts";

/** Starts a server, or replays it. */
export type StartServer = (options: DevServerOptions) => Promise<DevServer>;

/** The open sessions. */
export interface DevSessions {
  /** By name, in the order of the command; those that failed to start are left out. */
  readonly sessions: ReadonlyMap<string, DevSession>;
  readonly first: DevSession;
  close(): Promise<void>;
}

/** What all sessions share. */
export interface DevSessionsOptions extends Omit<DevSessionOptions, "start" | "name" | "choices"> {
  /** Takes any free port if the port is in use. */
  anyPort: boolean;
  /** Called for a server that failed to start, if there are others. */
  onFailure(name: string, reason: string): void;
}

/** Opens a session for each server. Throws the first failure if none starts. */
export async function openDevSessions(
  servers: ReadonlyMap<string, StartServer>,
  { anyPort, onFailure, ...shared }: DevSessionsOptions,
): Promise<DevSessions> {
  const choices = createServerChoices(servers.keys());
  const isOne = servers.size === 1;
  const opened = new Map<string, DevSession>();
  const failures: unknown[] = [];
  const open = async (name: string, start: StartServer, isFirst: boolean): Promise<void> => {
    try {
      const options = { ...shared, start, ...(!isOne && { name, choices }) };
      const session = isFirst
        ? await openOnPort(options, anyPort)
        : await openDevSession({ ...options, port: 0 });
      opened.set(name, session);
      choices.set(name, { url: session.url });
    } catch (error) {
      failures.push(error);
      choices.set(name, { reason: wordsOf(error) });
      if (!isOne) onFailure(name, wordsOf(error));
    }
  };
  await Promise.all([...servers].map(([name, start], at) => open(name, start, at === 0)));
  // They open in any order.
  const sessions = new Map(
    [...servers.keys()].flatMap((name) => {
      const session = opened.get(name);
      return session ? [[name, session]] : [];
    }),
  );
  const [first] = sessions.values();
  if (!first) throw failures[0];
  return {
    sessions,
    first,
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
  };
}

/** The servers of a file such as `mcp.json`. */
export function startersOf(list: ServerList): Map<string, StartServer> {
  return new Map(
    [...list].map(([name, entry]) => [
      name,
      async (options) => startDevServer(targetOf(entry), options),
    ]),
  );
}

/** Another port is fine unless the user asked for a certain one. */
async function openOnPort(options: DevSessionOptions, anyPort: boolean): Promise<DevSession> {
  try {
    return await openDevSession(options);
  } catch (error) {
    if (!anyPort || !(error instanceof Failure) || error.code !== "port-taken") throw error;
    return openDevSession({ ...options, port: 0 });
  }
}

function targetOf(entry: ServerEntry): Target {
  if (entry.kind === "invalid") throw new Failure("unreadable", entry.reason);
  if (entry.kind === "command") {
    const { command, args, env, cwd } = entry;
    return { kind: "command", program: command, args, env: { ...env }, ...(cwd && { cwd }) };
  }
  if (entry.transport === "sse")
    throw new Failure(
      "usage",
      "This server uses HTTP with SSE, which dev doesn't support. Use its Streamable HTTP address.",
    );
  return { kind: "url", url: entry.url, headers: new Headers({ ...entry.headers }) };
}
