// A hand-written MCP server for the host under test. It returns what a scenario defines, in both eras
// of MCP over Streamable HTTP, and records every request.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import { asRecord, brief, type Json } from "../json.ts";

/** A tool of the probe. */
export interface ProbeTool {
  tool: Json;
  /** Its result, or a function that returns it. `undefined` for the tool's name as text. */
  result?: Json | ((call: ProbeToolCall) => Json | Promise<Json>);
}

/** The argument of a tool's function. */
export interface ProbeToolCall {
  arguments: Json;
  progress(progress: number): void;
}

/** A view of the probe. */
export interface ProbeResource {
  uri: string;
  html: string;
  /** `_meta.ui` in the list and in the content. */
  listed?: Json;
  served?: Json;
  /** Left out of `resources/list`. */
  isHidden?: boolean;
  /** Sent as base64. */
  isBlob?: boolean;
}

/** What a probe server offers. */
export interface ProbeOffer {
  tools: readonly ProbeTool[];
  resources: readonly ProbeResource[];
  /** Only the era with a handshake. */
  legacyOnly?: boolean;
}

/** One request or notification, as received. */
export interface ProbeCall {
  at: number;
  method: string;
  params: Json;
  /** The client's capabilities, if this request contains them. */
  capabilities?: Json;
  /** The client closed the connection before the response. */
  isDropped?: boolean;
}

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CACHEABLE = /\/(list|discover|read)$/;

/** A probe at an address of this machine. */
export class ProbeServer {
  readonly calls: ProbeCall[] = [];
  readonly #http: Server;
  readonly #offer: ProbeOffer;

  private constructor(offer: ProbeOffer) {
    this.#offer = offer;
    this.#http = createServer((request, response) => {
      // The run continues whatever a host sends.
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(offer: ProbeOffer): Promise<ProbeServer> {
    const probe = new ProbeServer(offer);
    probe.#http.listen(0, "127.0.0.1");
    await once(probe.#http, "listening");
    return probe;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  /** The params of every request of the method. */
  asked(method: string): Json[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  /** How often a tool was called. */
  callsOf(tool: string): Json[] {
    return this.asked("tools/call").filter(({ name }) => name === tool);
  }

  /** Closes the connection of every pending request. */
  hangUp(): void {
    this.#http.closeAllConnections();
  }

  close(): void {
    this.#http.close().closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    allowPages(request, response);
    if (request.method === "OPTIONS" || request.method === "DELETE") return end(response, 204);
    if (request.method !== "POST") return end(response, 405);
    const message = await readMessage(request);
    if (!message) return end(response, 400);
    const { id, method, params } = message;
    const call = this.#note(String(method), asRecord(params));
    if (id === undefined) return end(response, 202);
    response.on("close", () => {
      if (!response.writableFinished) call.isDropped = true;
    });
    const isModern = asRecord(call.params._meta)[VERSION] === "2026-07-28";
    const wantsProgress = asRecord(call.params._meta).progressToken !== undefined;
    const stream = method === "tools/call" && wantsProgress ? openStream(response) : undefined;
    const answer = await this.#answerOf(call, (progress) => {
      const { progressToken } = call.params._meta;
      const tick = { method: "notifications/progress", params: { progressToken, progress } };
      stream?.(JSON.stringify({ jsonrpc: "2.0", ...tick }));
    });
    if (answer.result && isModern) Object.assign(answer.result, modernParts(String(method)));
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    if (response.destroyed) return;
    if (stream) {
      stream(text);
      response.end();
      return;
    }
    const isUnknown = answer.error?.code === -32601 && isModern;
    const headers = method === "initialize" ? { "mcp-session-id": "probe" } : {};
    response.writeHead(isUnknown ? 404 : 200, { "content-type": "application/json", ...headers });
    response.end(text);
  }

  #note(method: string, params: Json): ProbeCall {
    const said =
      method === "initialize" ? params.capabilities : asRecord(params._meta)[CAPABILITIES];
    const call: ProbeCall = { at: Date.now(), method, params };
    if (said !== undefined) call.capabilities = asRecord(said);
    this.calls.push(call);
    return call;
  }

  async #answerOf({ method, params }: ProbeCall, progress: (done: number) => void): Promise<Json> {
    const { tools, resources, legacyOnly } = this.#offer;
    const capabilities = {
      tools: { listChanged: true },
      resources: {},
      extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } },
    };
    const serverInfo = { name: "conformance-probe", version: "1.0.0" };
    switch (method) {
      case "initialize":
        return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo } };
      case "server/discover":
        if (legacyOnly) break;
        return { result: { supportedVersions: ["2026-07-28"], capabilities } };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: tools.map(({ tool }) => tool) } };
      case "resources/list":
        return {
          result: { resources: resources.filter(({ isHidden }) => !isHidden).map(entryOf) },
        };
      case "resources/templates/list":
        return { result: { resourceTemplates: [] } };
      case "resources/read": {
        const resource = resources.find(({ uri }) => uri === params.uri);
        return resource
          ? { result: { contents: [contentOf(resource)] } }
          : { error: { code: -32602, message: `No resource ${brief(params.uri)}` } };
      }
      case "tools/call":
        return resultOf(tools, params, progress);
    }
    return { error: { code: -32601, message: "Method not found" } };
  }
}

async function resultOf(
  tools: readonly ProbeTool[],
  params: Json,
  progress: (done: number) => void,
): Promise<Json> {
  const found = tools.find(({ tool }) => tool.name === params.name);
  if (!found) return { error: { code: -32602, message: `No tool ${brief(params.name)}` } };
  const words = { content: [{ type: "text", text: `${found.tool.name} was called.` }] };
  const { result = words } = found;
  const call = { arguments: asRecord(params.arguments), progress };
  const made = typeof result === "function" ? await result(call) : result;
  // A copy: additions for an era must not stay.
  return made.error ? made : { result: { ...made } };
}

function entryOf({ uri, listed }: ProbeResource): Json {
  const name = uri.replace(/^ui:\/\//, "");
  return { uri, name, mimeType: RESOURCE_MIME_TYPE, ...(listed && { _meta: { ui: listed } }) };
}

function contentOf({ uri, html, served, isBlob }: ProbeResource): Json {
  const body = isBlob ? { blob: Buffer.from(html).toString("base64") } : { text: html };
  return { uri, mimeType: RESOURCE_MIME_TYPE, ...body, ...(served && { _meta: { ui: served } }) };
}

function modernParts(method: string): Json {
  return {
    resultType: "complete",
    ...(CACHEABLE.test(method) && { ttlMs: 0, cacheScope: "private" }),
  };
}

/** Hosts in pages are clients of other origins. */
function allowPages({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-methods", "POST, GET, DELETE");
  response.setHeader("access-control-expose-headers", "mcp-session-id");
  const wanted = headers["access-control-request-headers"];
  if (wanted) response.setHeader("access-control-allow-headers", wanted);
}

function openStream(response: ServerResponse): (text: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  return (text) => response.write(`event: message\ndata: ${text}\n\n`);
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

async function readMessage(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return asRecord(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    return undefined;
  }
}
