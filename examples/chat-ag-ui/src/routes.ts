// The product's server. The page reaches nothing else, and gets neither the address of an MCP server nor
// the key of the model.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createAgentHandler } from "@vitrine/chat/ag-ui/server";
import { createSampleHandler } from "@vitrine/chat/ai-sdk/server";
import { appsExtension } from "@vitrine/host";
import { type AppsEvent, createAppsHandler } from "@vitrine/host/remote";

/** What the server needs. */
export interface ProductOptions {
  /** An OpenAI-compatible endpoint. */
  model: string;
  /** The address of the MCP server "trips". */
  trips: string;
  /** The address of an agent that runs elsewhere, such as LangGraph's; by default it runs here. */
  agent?: string | undefined;
  /** Receives what the server half decides about views. */
  log(event: AppsEvent): void;
}

/** The routes by path. */
export async function createRoutes(
  options: ProductOptions,
): Promise<Record<string, (request: Request) => Promise<Response>>> {
  const trips = new Client(
    { name: "chat", version: "1.0.0" },
    { capabilities: appsExtension(), versionNegotiation: { mode: "auto" } },
  );
  await trips.connect(new StreamableHTTPClientTransport(new URL(options.trips)));
  const clients = { trips };
  const model = createOpenAICompatible({ name: "model", baseURL: options.model })("scripted");
  // Yours identifies the user by a cookie.
  const authorize = () => ({ id: "ann" });

  const apps = createAppsHandler({ clients, authorize, onEvent: options.log });
  const agent = createAgentHandler({
    model,
    clients,
    authorize,
    instructions: "You help people to plan trips.",
  });
  return {
    "/api/apps": apps.fetch,
    "/api/sample": createSampleHandler({ model, authorize }),
    "/api/agent": options.agent ? forwardTo(options.agent) : agent,
  };
}

/** The page reaches an agent elsewhere through your server, which knows the user. */
function forwardTo(url: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { body, status, headers } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: await request.text(),
      signal: request.signal,
    });
    const type = headers.get("content-type") ?? "text/event-stream";
    return new Response(body, { status, headers: { "content-type": type } });
  };
}
