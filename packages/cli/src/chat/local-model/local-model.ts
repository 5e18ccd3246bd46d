// A small model on this machine as an endpoint that is compatible with OpenAI, so the chat uses it like
// any other. It decides about a tool first, then writes its arguments or a text.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody, sendJson } from "../scripted-model/json-body.ts";
import { type ModelRequest, readChatCompletion } from "../scripted-model/model-request.ts";
import { openaiWire } from "../scripted-model/openai-wire.ts";
import type { ResolvedPart } from "../scripted-model/turn-choice.ts";
import { tokensOf } from "../scripted-model/wire-writer.ts";
import type { LocalEngine, Spoken } from "./llama-engine.ts";
import { type OfferedTool, rankTools } from "./tool-ranking.ts";

/** A running endpoint. */
export interface LocalModel {
  /** The base address, with `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

const LONGEST_TEXT = 1_500;
const KEPT_ENTRIES = 6;
const CANDIDATES = 3;

/** Starts the endpoint on a free port of the loopback address. */
export async function startLocalModel(engine: LocalEngine): Promise<LocalModel> {
  const server = createServer((incoming, response) => {
    const route = `${incoming.method} ${incoming.url}`;
    if (route === "GET /v1/models") {
      const data = [{ id: engine.name, object: "model", created: 0, owned_by: "local" }];
      sendJson(response, 200, { object: "list", data });
    } else if (route === "POST /v1/chat/completions") {
      answer(engine, incoming, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else sendError(response, (error as Error).message);
      });
    } else sendError(response, `This endpoint doesn't support ${route}.`, 404);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      closing ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }).then(() => engine.close());
      return closing;
    },
  };
}

async function answer(
  engine: LocalEngine,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = JSON.parse(await readBody(incoming)) as {
    tools?: unknown;
    stream_options?: { include_usage?: unknown };
  };
  const request = readChatCompletion(body);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { signal } = gone;
  const writer = openaiWire({
    request,
    id: crypto.randomUUID().replaceAll("-", ""),
    includeUsage: body.stream_options?.include_usage === true,
    inputTokens: tokensOf(JSON.stringify(body)),
  });
  const tool = await chooseTool(engine, { request, tools: offeredTools(body.tools), signal });
  const part: Exclude<ResolvedPart, { kind: "wait" }> = tool
    ? { kind: "call", name: tool.name, chunks: [], pace: 0 }
    : { kind: "text", chunks: [], pace: 0 };
  if (request.stream) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.write(writer.start() + writer.begin(part));
  }
  const onText = (text: string): void => {
    part.chunks.push(text);
    if (request.stream) response.write(writer.chunk(text));
  };
  if (tool) await writeArguments(engine, { request, tool, signal, onText });
  else await writeText(engine, { request, signal, onText });
  if (request.stream) response.end(writer.end() + writer.finish());
  else sendJson(response, 200, writer.body([part]) as object);
}

interface Choosing {
  request: ModelRequest;
  tools: readonly OfferedTool[];
  signal: AbortSignal;
}

/** The tool that the model chooses for the user's message, if any. */
export async function chooseTool(
  engine: LocalEngine,
  { request, tools, signal }: Choosing,
): Promise<OfferedTool | undefined> {
  // After a result it answers with a text: it would repeat the call otherwise.
  if (request.after.length > 0) return undefined;
  const candidates = rankTools(request.user, tools, CANDIDATES);
  const [first] = candidates;
  if (candidates.length <= 1) return first;
  const lines = candidates.map(({ name, description }) => `${name}: ${firstLine(description)}`);
  const written = await engine.write({
    system: `Choose the tool that does what the user asks for.\n${lines.join("\n")}`,
    entries: [{ from: "user", text: request.user.slice(0, LONGEST_TEXT) }],
    shape: { words: candidates.map(({ name }) => name) },
    mostTokens: 40,
    signal,
  });
  const chosen = written.trim().replace(/^"|"$/g, "");
  return candidates.find(({ name }) => name === chosen);
}

interface Answering {
  request: ModelRequest;
  signal: AbortSignal;
  onText(text: string): void;
}

async function writeArguments(
  engine: LocalEngine,
  { request, tool, signal, onText }: Answering & { tool: OfferedTool },
): Promise<void> {
  const { name, description, parameters } = tool;
  const known = JSON.stringify(Object(parameters).properties ?? {}).slice(0, LONGEST_TEXT);
  await engine.write({
    system: `Write the arguments of the tool ${name} as JSON, with the user's words. ${firstLine(description)}\nArguments: ${known}`,
    entries: [{ from: "user", text: request.user.slice(0, LONGEST_TEXT) }],
    shape: { schema: parameters },
    mostTokens: 256,
    signal,
    onText,
  });
}

async function writeText(
  engine: LocalEngine,
  { request, signal, onText }: Answering,
): Promise<void> {
  const entries = request.entries.slice(-KEPT_ENTRIES).flatMap((entry): Spoken[] => {
    if (entry.from === "call") return [];
    const text = entry.text.slice(0, LONGEST_TEXT);
    if (entry.from === "assistant") return [{ from: "model", text }];
    return [{ from: "user", text: entry.from === "user" ? text : `Tool result: ${text}` }];
  });
  await engine.write({
    system: `You are a helpful assistant. Answer in one or two sentences. ${request.system.slice(0, LONGEST_TEXT)}`,
    entries,
    mostTokens: 200,
    signal,
    onText,
  });
}

function offeredTools(value: unknown): OfferedTool[] {
  return (Array.isArray(value) ? value : []).map((tool): OfferedTool => {
    const { name, description, parameters } = Object(Object(tool).function);
    return { name: `${name}`, description: `${description ?? ""}`, parameters: Object(parameters) };
  });
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").slice(0, 160);
}

function sendError(response: ServerResponse, message: string, status = 400): void {
  sendJson(response, status, { error: { type: "invalid_request_error", message } });
}
