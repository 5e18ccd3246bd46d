// A hand-written server of the era with a handshake that returns what a test defines.

import { type RawServer, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import type { Json } from "../src/json.ts";

export const URI = "ui://good/view.html";
const MIME = "text/html;profile=mcp-app";
const EXTENSION = "io.modelcontextprotocol/ui";

/** Its responses; a test changes a part of them. */
export interface ServerModel {
  capabilities: Json;
  tool: Json;
  entry: Json | undefined;
  content: Json | undefined;
  result: Json;
  /** For clients without the extension, if that differs. */
  plain?: { result?: Json; tools?: Json[] };
}

/** A correct server. */
export function goodModel(): ServerModel {
  const ui = { prefersBorder: true, csp: { connectDomains: ["https://api.example.com"] } };
  const html = `<!doctype html><title>Good</title><script>fetch("https://api.example.com/x")</script>`;
  return {
    capabilities: { tools: {}, resources: {}, extensions: { [EXTENSION]: { mimeTypes: [MIME] } } },
    tool: {
      name: "good",
      description: "Good.",
      inputSchema: { type: "object" },
      _meta: { ui: { resourceUri: URI, visibility: ["model", "app"] }, "ui/resourceUri": URI },
    },
    entry: { uri: URI, name: "good", mimeType: MIME, _meta: { ui } },
    content: { uri: URI, mimeType: MIME, text: html, _meta: { ui } },
    result: { content: [{ type: "text", text: "All is good." }], structuredContent: { good: 1 } },
  };
}

/** Serves the model over HTTP; each connection is one client. */
export function serveModel(model: ServerModel): Promise<RawServer> {
  const clients = new Map<string, boolean>();
  return serveRaw(({ method, message, headers, response }) => {
    if (method !== "POST") return void response.writeHead(405).end();
    if (message?.id === undefined) return void response.writeHead(202).end();
    const { id, method: name, params } = message;
    const session = String(headers["mcp-session-id"] ?? clients.size);
    if (name === "initialize") {
      clients.set(session, EXTENSION in (params.capabilities.extensions ?? {}));
    }
    const answer = answerOf(model, name, { ...params, ui: clients.get(session) });
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    return void sendJson(response, text, 200, { "mcp-session-id": session });
  });
}

function answerOf(model: ServerModel, method: string, { uri, ui }: Json): Json {
  const { capabilities, tool, entry, content, result, plain } = model;
  const answers: Record<string, Json | undefined> = {
    initialize: {
      protocolVersion: "2025-11-25",
      serverInfo: { name: "good", version: "1.0.0" },
      capabilities,
    },
    "tools/list": { tools: (!ui && plain?.tools) || [tool] },
    "resources/list": { resources: entry ? [entry] : [] },
    "resources/read": content && uri === content.uri ? { contents: [content] } : undefined,
    "tools/call": (!ui && plain?.result) || result,
  };
  const found = answers[method];
  return found ? { result: found } : { error: { code: -32601, message: "Not found" } };
}
