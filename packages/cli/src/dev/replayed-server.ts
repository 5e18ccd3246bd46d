// A server made of recorded responses: each request gets its recorded response, in the same order.

import type { Upstream, UpstreamMethod } from "@vitrine/host";
import { RpcError } from "@vitrine/protocol";
import type { Frame } from "../target/server-connection.ts";
import type { DevServer } from "./dev-server.ts";
import type { Recording } from "./recording.ts";

type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } };
type Message = Answer & { id?: unknown; method?: unknown; params?: unknown };

const UNKNOWN = -32_000;

/** Answers as recorded. */
export function replayServer(
  recording: Recording,
  { onFrame }: { onFrame(frame: Frame): void },
): DevServer {
  const answers = answersOf(recording);
  const { server } = recording;
  let lastId = 0;

  const tell = (direction: Frame["direction"], message: object): void =>
    onFrame({
      at: performance.now(),
      direction,
      message: { jsonrpc: "2.0", ...message } as Frame["message"],
    });
  const ask = async (method: UpstreamMethod, params: unknown): Promise<unknown> => {
    const id = ++lastId;
    tell("to-server", { id, method, params });
    const queue = answers.get(keyOf(method, params)) ?? [];
    // The last response stays, for a host that asks once more than it did.
    const answer = (queue.length > 1 ? queue.shift() : queue[0]) ?? {
      error: {
        code: UNKNOWN,
        message: `The recording has no response to ${method} with these params.`,
      },
    };
    tell("from-server", { id, ...answer });
    if (!answer.error) return withoutType(answer.result);
    throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
  };

  const upstream: Upstream = {
    server: server.name,
    capabilities: server.capabilities,
    request: (method, params) => ask(method, params) as never,
    onListChanged: () => () => {},
  };
  return {
    upstream,
    status: { ...server, target: "a recording", state: "replayed", canRestart: false },
    restart: async () => true,
    onStatus: () => () => {},
    close: async () => {},
  };
}

/** The real server, with recorded tool results: for a view that may have changed. */
export function replayTools(
  server: DevServer,
  recording: Recording,
  callbacks: { onFrame(frame: Frame): void },
): DevServer {
  const recorded = replayServer(recording, callbacks).upstream;
  const { upstream } = server;
  return {
    get status() {
      return server.status;
    },
    upstream: {
      get server() {
        return upstream.server;
      },
      get capabilities() {
        return upstream.capabilities;
      },
      request: (method, params, options) =>
        (method === "tools/call" ? recorded : upstream).request(method, params, options),
      onListChanged: (listener) => upstream.onListChanged(listener),
    },
    ...(server.getPrompt && { getPrompt: server.getPrompt }),
    restart: () => server.restart(),
    onStatus: (listener) => server.onStatus(listener),
    close: () => server.close(),
  };
}

function answersOf({ frames }: Recording): Map<string, Answer[]> {
  const asked = new Map<unknown, string>();
  const answers = new Map<string, Answer[]>();
  for (const { from, to, message } of frames) {
    const { id, method, params, result, error } = message as Message;
    if (to === "server" && typeof method === "string") asked.set(id, keyOf(method, params));
    const key = from === "server" && method === undefined ? asked.get(id) : undefined;
    if (key === undefined) continue;
    asked.delete(id);
    const answer: Answer = error ? { error } : { result };
    answers.set(key, [...(answers.get(key) ?? []), answer]);
  }
  return answers;
}

/** The official client removes the type of a result of 2026-07-28 before callers see it. */
function withoutType(result: unknown): unknown {
  const { resultType: _, ...rest } = Object(result) as Record<string, unknown>;
  return rest;
}

/** Without `_meta`, in which clients of 2026-07-28 repeat their identity. */
function keyOf(method: string, params: unknown): string {
  const { _meta, ...asked } = (params ?? {}) as Record<string, unknown>;
  return `${method} ${JSON.stringify(asked, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )}`;
}
