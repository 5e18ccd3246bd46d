// The parts of an MCP client that a page needs, of the era with a handshake.

import type { Json } from "../../../src/json.ts";
import { fault } from "./fault.ts";

const EXTENSION = "io.modelcontextprotocol/ui";
const MIME = "text/html;profile=mcp-app";

/** How a request is made. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Called with progress under the token in the params. */
  onProgress?(params: Json): void;
}

/** A connection to a server, and its capabilities. */
export class WireServer {
  readonly url: string;
  tools: Json[] = [];
  resources: Json[] = [];
  #lastId = 0;

  constructor(url: string) {
    this.url = url;
  }

  async connect(): Promise<this> {
    const mimeTypes = fault === "mime-missing" ? ["text/html"] : [MIME];
    const extensions = fault === "extension-missing" ? {} : { [EXTENSION]: { mimeTypes } };
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "wire-host", version: "1.0.0" },
      capabilities: { extensions },
    });
    await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
    this.tools = (await this.request("tools/list")).tools;
    this.resources = (await this.request("resources/list")).resources;
    return this;
  }

  /** The result; rejects with the original error. */
  async request(method: string, params: Json = {}, options: CallOptions = {}): Promise<Json> {
    const id = ++this.#lastId;
    const { signal } = options;
    signal?.addEventListener("abort", () => {
      if (fault === "cancel-kept") return;
      const told = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      void this.#post(told);
    });
    // With that fault the server continues although nothing waits.
    const own = fault === "cancel-kept" ? undefined : signal;
    const response = await this.#post({ jsonrpc: "2.0", id, method, params }, own);
    const answer = response.headers.get("content-type")?.includes("event-stream")
      ? await readStream(response, options)
      : await response.json();
    if (answer.error) throw answer.error;
    return answer.result;
  }

  #post(message: Json, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    });
  }
}

async function readStream(response: Response, { onProgress }: CallOptions): Promise<Json> {
  const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw { code: -32000, message: "The stream ended." };
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const message = JSON.parse(part.replace(/^event: message\ndata: /, ""));
      if (!message.method) return message;
      onProgress?.(message.params);
    }
  }
}
