// The product's server. The page reaches nothing else, and gets neither the address of an MCP server nor
// the key of the model.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSampleHandler, prepareTurn } from "@vitrine/chat/ai-sdk/server";
import { appsExtension } from "@vitrine/host";
import { type AppsEvent, createAppsHandler } from "@vitrine/host/remote";
import { createUIMessageStreamResponse, isStepCount, streamText, toUIMessageStream } from "ai";

/** What the server needs. */
export interface ProductOptions {
  /** An OpenAI-compatible endpoint. */
  model: string;
  /** The address of the MCP server "trips". */
  trips: string;
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

  return {
    "/api/apps": createAppsHandler({ clients, authorize, onEvent: options.log }).fetch,
    "/api/sample": createSampleHandler({ model, authorize }),
    "/api/chat": async (request) => {
      const { tools, messages } = await prepareTurn({ clients, body: await request.json() });
      const { stream } = streamText({
        model,
        tools,
        messages,
        stopWhen: isStepCount(8),
        abortSignal: request.signal,
      });
      return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
    },
  };
}
