import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { anthropicWire } from "./anthropic-wire.ts";
import { readBody, sendJson } from "./json-body.ts";
import { type ModelRequest, readAnthropicMessages, readChatCompletion } from "./model-request.ts";
import { openaiWire } from "./openai-wire.ts";
import { checkScript, loadScript } from "./read-script.ts";
import type { ModelScript } from "./script.ts";
import { type Answer, TurnChoice } from "./turn-choice.ts";
import { tokensOf, type WireWriter } from "./wire-writer.ts";

export interface ScriptedModelOptions {
  /** The script, or the path of its file. */
  script: ModelScript | string;
  /** The port on the loopback address. The default is a free one. */
  port?: number;
  /** The API key that clients must send. Without it, every key is accepted. */
  key?: string;
  /** How many requests are kept. The default is 200; older ones are dropped. */
  keep?: number;
}

/** A request that the endpoint received. */
export interface ReceivedRequest {
  wire: Wire;
  /** The body as it was received. */
  body: unknown;
  /** The same for both wire formats. */
  request: ModelRequest;
  /** The index of the turn that answered, or undefined if none fits. */
  turn: number | undefined;
  /** `stopped`: the client disconnected before the end of the answer. */
  state: "answering" | "finished" | "stopped" | "failed";
}

export interface ScriptedModel {
  /** The base address of both wire formats, with `/v1`. */
  readonly url: string;
  /** The requests so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

type Wire = ModelRequest["wire"];

/**
 * Starts a local endpoint that answers as a model would, from a script. It supports the wire formats of
 * OpenAI's chat completions and Anthropic's messages, for tests and demos without a key or a network.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { port = 0, key } = options;
  const script =
    typeof options.script === "string"
      ? await loadScript(options.script)
      : checkScript(options.script);
  const answers = new Answers(script, options.keep ?? 200);

  const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
    const route = `${incoming.method} ${pathname}`;
    const wire = WIRES[route];
    const sentKey =
      incoming.headers["x-api-key"] ?? incoming.headers.authorization?.replace(/^Bearer /, "");
    if (route === "GET /v1/models") sendJson(response, 200, models(script.model ?? "scripted"));
    else if (!wire)
      sendError(response, {
        wire: "openai",
        status: 404,
        message: `This endpoint doesn't support ${route}.`,
      });
    else if (key !== undefined && sentKey !== key)
      sendError(response, { wire, status: 401, message: "The API key is wrong." });
    else answers.answer(wire, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });

  let closed: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: answers.requests,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

const WIRES: Record<string, Wire> = {
  "POST /v1/chat/completions": "openai",
  "POST /v1/messages": "anthropic",
};

/** Answers requests and keeps the latest of them. */
class Answers {
  readonly requests: ReceivedRequest[] = [];
  readonly #choice: TurnChoice;
  readonly #keep: number;

  constructor(script: ModelScript, keep: number) {
    this.#choice = new TurnChoice(script);
    this.#keep = keep;
  }

  async answer(wire: Wire, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: unknown;
    let request: ModelRequest;
    try {
      body = JSON.parse(await readBody(incoming));
      request = wire === "openai" ? readChatCompletion(body) : readAnthropicMessages(body);
    } catch (error) {
      sendError(response, { wire, status: 400, message: messageOf(error) });
      return;
    }
    const received: ReceivedRequest = { wire, body, request, turn: undefined, state: "answering" };
    this.requests.push(received);
    if (this.requests.length > this.#keep) this.requests.shift();
    const gone = new AbortController();
    response.once("close", () => {
      if (received.state === "answering") received.state = "stopped";
      gone.abort();
    });
    const chosen = this.#choose(request);
    received.turn = chosen.turn;
    if ("error" in chosen) {
      received.state = "failed";
      sendError(response, { wire, status: chosen.status, message: chosen.error });
      return;
    }
    const writer = this.#writer(request, body);
    try {
      await write(response, { chosen, writer, stream: request.stream, signal: gone.signal });
      // A client may close the connection right after the last event, which doesn't stop the answer.
      received.state = "finished";
      response.end();
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  }

  #choose(request: ModelRequest): Answer {
    try {
      return this.#choice.answer(request);
    } catch (error) {
      // A module of the script failed or returned parts that aren't allowed.
      return { turn: undefined, status: 500, error: messageOf(error) };
    }
  }

  #writer(request: ModelRequest, body: unknown): WireWriter {
    const { stream_options } = body as { stream_options?: { include_usage?: unknown } };
    return (request.wire === "openai" ? openaiWire : anthropicWire)({
      request,
      id: crypto.randomUUID().replaceAll("-", ""),
      includeUsage: stream_options?.include_usage === true,
      inputTokens: tokensOf(JSON.stringify(body)),
    });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

interface Writing {
  chosen: Extract<Answer, { parts: unknown }>;
  writer: WireWriter;
  stream: boolean;
  signal: AbortSignal;
}

async function write(
  response: ServerResponse,
  { chosen, writer, stream, signal }: Writing,
): Promise<void> {
  const pause = async (milliseconds: number) => {
    signal.throwIfAborted();
    if (milliseconds > 0) await delay(milliseconds, undefined, { signal });
  };
  if (!stream) {
    for (const part of chosen.parts)
      await pause(part.kind === "wait" ? part.milliseconds : part.pace * part.chunks.length);
    response.writeHead(200, { "content-type": "application/json" });
    response.write(JSON.stringify(writer.body(chosen.parts)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = async (text: string) => {
    if (text && !response.write(text))
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    signal.throwIfAborted();
  };
  await send(writer.start());
  for (const part of chosen.parts) {
    if (part.kind === "wait") {
      await pause(part.milliseconds);
      continue;
    }
    await send(writer.begin(part));
    for (const chunk of part.chunks) {
      await pause(part.pace);
      await send(writer.chunk(chunk));
    }
    await send(writer.end());
  }
  await send(writer.finish());
}

function models(id: string): object {
  return { object: "list", data: [{ id, object: "model", created: 0, owned_by: "vitrine" }] };
}

function sendError(
  response: ServerResponse,
  { wire, status, message }: { wire: Wire; status: number; message: string },
): void {
  const type =
    status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "api_error";
  const error = { type, message };
  sendJson(
    response,
    status,
    wire === "openai" ? { error: { ...error, param: null, code: null } } : { type: "error", error },
  );
}
