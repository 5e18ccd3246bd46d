// All servers of a chat. One that doesn't start doesn't stop the others: the page shows its reason and
// a way to try again.

import type { AppsClients } from "@vitrine/host/remote";
import { resourceOf } from "../../auth/login-file.ts";
import type { ServerLogins } from "../../auth/server-logins.ts";
import type { Questions } from "../../questions/server-questions.ts";
import type { ServerState } from "../page-state.ts";
import { createLastingUpstream, type LastingUpstream } from "./lasting-upstream.ts";
import { LoginNeeded, linkServer, type ServerLink } from "./server-link.ts";
import type { ServerEntry, ServerList } from "./server-list.ts";

/** The servers of one user; with a gateway, those that it offers to the user. */
export interface ChatServers {
  readonly states: readonly ServerState[];
  /** All servers by name; requests to one that isn't connected fail. */
  readonly clients: AppsClients;
  /** Connects again. */
  retry(name: string): Promise<void>;
  /** The address where the user logs in; `undefined` if the server needs no login. */
  logIn?(name: string): Promise<string | undefined>;
  /** Calls `listener` whenever a state changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

// A user who writes at once shouldn't get an answer without tools.
const STARTING = 8000;

/** Waits until no server is starting, for a few seconds at most. */
export async function untilStarted(servers: ChatServers, signal?: AbortSignal): Promise<void> {
  const isStarting = (): boolean => servers.states.some(({ status }) => status === "starting");
  if (!isStarting()) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, STARTING);
    const stop = servers.onChange(() => {
      if (!isStarting()) end();
    });
    signal?.addEventListener("abort", end);
  });
}

/** What the servers need of the chat. */
export interface ChatServersOptions {
  questions: Questions;
  /** The conversation whose turn is running. */
  conversation?: () => string | undefined;
  logins?: ServerLogins;
}

interface Entry {
  readonly entry: ServerEntry;
  state: ServerState;
  readonly lasting: LastingUpstream;
  link?: ServerLink | undefined;
  /** The newest attempt; the results of older ones don't count. */
  attempt: number;
}

/** Starts connecting to all of them, and doesn't wait. */
export function startServers(
  list: ServerList,
  { questions, conversation = () => undefined, logins }: ChatServersOptions,
): ChatServers {
  const listeners = new Set<() => void>();
  const entries = new Map<string, Entry>();
  let isClosed = false;
  const set = (entry: Entry, state: Omit<ServerState, "name">): void => {
    entry.state = { name: entry.state.name, ...state };
    for (const listener of [...listeners]) listener();
  };

  const connect = async (name: string, entry: Entry): Promise<void> => {
    const attempt = ++entry.attempt;
    const isCurrent = (): boolean => attempt === entry.attempt && !isClosed;
    set(entry, { status: "starting" });
    entry.lasting.use(undefined);
    await entry.link?.close();
    entry.link = undefined;
    try {
      const link = await linkServer(entry.entry, {
        elicit: (params, signal) =>
          questions.ask(name, params, { signal, conversation: conversation() }),
        onEnd: (reason) => {
          if (!isCurrent()) return;
          entry.link = undefined;
          entry.lasting.use(undefined);
          set(entry, { status: "failed", reason });
        },
        logins,
      });
      if (!isCurrent()) {
        await link.close();
        return;
      }
      entry.link = link;
      entry.lasting.use(link.client);
      set(entry, { status: "ready" });
    } catch (error) {
      if (!isCurrent()) return;
      const status = error instanceof LoginNeeded ? "login" : "failed";
      set(entry, { status, reason: (error as Error).message });
    }
  };

  for (const [name, entry] of list)
    entries.set(name, {
      entry,
      state: { name, status: "starting" },
      lasting: createLastingUpstream(name),
      attempt: 0,
    });
  for (const [name, entry] of entries) void connect(name, entry);
  const stopLogins = logins?.onLogin((url) => {
    for (const [name, entry] of entries)
      if (entry.entry.kind === "url" && resourceOf(entry.entry.url) === url.href)
        void connect(name, entry);
  });

  return {
    get states() {
      return [...entries.values()].map(({ state }) => state);
    },
    clients: Object.fromEntries(
      [...entries].map(([name, { lasting }]) => [name, lasting.upstream]),
    ),
    retry: async (name) => {
      const entry = entries.get(name);
      if (entry) await connect(name, entry);
    },
    logIn: async (name) => {
      const { entry } = entries.get(name) ?? {};
      return entry?.kind === "url" ? logins?.begin(entry.url) : undefined;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      stopLogins?.();
      await Promise.all([...entries.values()].map(({ link }) => link?.close()));
    },
  };
}
