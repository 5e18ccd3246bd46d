// The page's requests to its process.

import type {
  ConversationSummary,
  LiveState,
  StoredConversation,
  ToolGrant,
  Welcome,
} from "../../src/chat/page-state.ts";

/** The process behind the page. */
export interface Api {
  /** Headers that every request needs. */
  readonly headers: Record<string, string>;
  welcome(): Promise<Welcome>;
  /** Calls `listener` with the state whenever it changes; reconnects until the page is closed. */
  follow(listener: (state: LiveState) => void, onLost: (isLost: boolean) => void): void;
  conversations(): Promise<ConversationSummary[]>;
  /** `undefined` if there is no such conversation yet. */
  conversation(id: string): Promise<StoredConversation | undefined>;
  rename(id: string, title: string): Promise<void>;
  remove(id: string): Promise<void>;
  saveRecord(id: string, key: string, record: unknown): Promise<void>;
  saveAnswer(key: string, allow: boolean | undefined): Promise<void>;
  grants(): Promise<ToolGrant[]>;
  /** Allows a tool, by the model's name for it. */
  grant(name: string, conversation: string | undefined): Promise<void>;
  revoke(grant: ToolGrant): Promise<void>;
  answerQuestion(id: string, answer: { action: string; content?: unknown }): Promise<void>;
  retryServer(name: string): Promise<void>;
  /** Where the user logs in; `undefined` if that isn't needed any more. */
  logIn(name: string): Promise<string | undefined>;
}

/** The process doesn't accept this page. */
export class AccessLost extends Error {}

const RECONNECT = 1500;

/** Creates the connection. */
export function createApi(key: string): Api {
  const headers = { "x-vitrine-key": key };
  const request = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`/api/${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.status === 403) throw new AccessLost(await response.text());
    return response;
  };
  const change = async (method: string, path: string, body?: unknown): Promise<void> => {
    const response = await request(method, path, body);
    if (!response.ok && response.status !== 404) throw new Error(await errorOf(response));
  };
  const read = async <Value>(path: string): Promise<Value> => {
    const response = await request("GET", path);
    if (!response.ok) throw new Error(await errorOf(response));
    return (await response.json()) as Value;
  };
  const at = (id: string): string => `conversations/${encodeURIComponent(id)}`;
  const server = (name: string): string => `servers/${encodeURIComponent(name)}`;

  return {
    headers,
    welcome: () => read("welcome"),
    follow: (listener, onLost) => {
      const attempt = async (): Promise<void> => {
        const response = await request("GET", "live");
        onLost(false);
        for await (const line of linesOf(response)) listener(JSON.parse(line) as LiveState);
        throw new Error("The stream ended.");
      };
      const run = (): void => {
        attempt().catch(() => {
          onLost(true);
          setTimeout(run, RECONNECT);
        });
      };
      run();
    },
    conversations: () => read("conversations"),
    conversation: async (id) => {
      const response = await request("GET", at(id));
      return response.ok ? ((await response.json()) as StoredConversation) : undefined;
    },
    rename: (id, title) => change("PATCH", at(id), { title }),
    remove: (id) => change("DELETE", at(id)),
    saveRecord: (id, key, record) => {
      const path = `${at(id)}/records/${encodeURIComponent(key)}`;
      return record === undefined ? change("DELETE", path) : change("PUT", path, record);
    },
    saveAnswer: (key, allow) => {
      const path = `answers/${encodeURIComponent(key)}`;
      return allow === undefined ? change("DELETE", path) : change("PUT", path, allow);
    },
    grants: () => read("grants"),
    grant: (name, conversation) => change("POST", "grants", { name, conversation }),
    revoke: (grant) => change("POST", "grants/revoke", grant),
    answerQuestion: (id, answer) => change("POST", `questions/${encodeURIComponent(id)}`, answer),
    retryServer: (name) => change("POST", `${server(name)}/retry`),
    logIn: async (name) => {
      const response = await request("POST", `${server(name)}/login`);
      if (!response.ok) return undefined;
      return ((await response.json()) as { address: string }).address;
    },
  };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}

async function errorOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  return text || `The request failed (${response.status}).`;
}
