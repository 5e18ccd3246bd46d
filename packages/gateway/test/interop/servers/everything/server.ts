// What the official conformance tool expects to find in a server, for its scenarios of both eras.

import {
  completable,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { PIXEL } from "./contents.ts";
import { answer, elicit, type Round, registerQuestions } from "./questions.ts";
import { type Changes, registerTools } from "./tools.ts";

const codec = createRequestStateCodec<Round>({ key: new Uint8Array(32).fill(3) });

/** Makes one; a fresh one for each request over HTTP, one for each connection over stdio. */
export function createEverything(changes: (server: McpServer) => Changes): McpServer {
  const server = new McpServer(
    { name: "everything", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      cacheHints: {
        "tools/list": { ttlMs: 1000, cacheScope: "public" },
        "resources/list": { ttlMs: 1000, cacheScope: "public" },
        "resources/read": { ttlMs: 1000, cacheScope: "private" },
      },
      requestState: { verify: codec.verify },
    },
  );
  registerTools(server, changes(server));
  registerQuestions(server, codec);
  registerResources(server);
  registerPrompts(server);
  // No `resources/subscribe`: for the older protocol this server has no sessions, so nobody could receive
  // updates. Since 2026-07-28 there is `subscriptions/listen`, which the SDK serves.
  return server;
}

function registerResources(server: McpServer): void {
  const about = (mimeType: string) => ({ description: "Of the conformance tool", mimeType });
  server.registerResource("static text", "test://static-text", about("text/plain"), ({ href }) => ({
    contents: [
      {
        uri: href,
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      },
    ],
  }));
  server.registerResource(
    "static binary",
    "test://static-binary",
    about("image/png"),
    ({ href }) => ({
      contents: [{ uri: href, mimeType: "image/png", blob: PIXEL }],
    }),
  );
  server.registerResource(
    "watched",
    "test://watched-resource",
    about("text/plain"),
    ({ href }) => ({
      contents: [{ uri: href, mimeType: "text/plain", text: "Watched" }],
    }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    about("application/json"),
    ({ href }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri: href, mimeType: "application/json", text }] };
    },
  );
}

function registerPrompts(server: McpServer): void {
  const user = "user" as const;
  const say = (text: string) => ({ role: user, content: { type: "text" as const, text } });
  const cities = ["paris", "park", "party"];
  const complete = (value = ""): string[] => cities.filter((city) => city.startsWith(value));
  const description = "Of the conformance tool";

  server.registerPrompt("test_simple_prompt", { description }, () => ({
    messages: [say("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description,
      argsSchema: z.object({ arg1: completable(z.string(), complete), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => ({
      messages: [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => {
      const text = "Embedded resource content for testing.";
      const resource = { uri, mimeType: "text/plain", text };
      return {
        messages: [
          { role: user, content: { type: "resource" as const, resource } },
          say("Please process the embedded resource above."),
        ],
      };
    },
  );
  server.registerPrompt("test_prompt_with_image", { description }, () => ({
    messages: [
      { role: user, content: { type: "image" as const, data: PIXEL, mimeType: "image/png" } },
      say("Please analyze the image above."),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description }, ({ mcpReq }) => {
    const { context } = answer(mcpReq, "user_context");
    const asks = { context: { type: "string" } };
    return context === undefined
      ? inputRequired({
          inputRequests: { user_context: elicit("What context should the prompt use?", asks) },
        })
      : { messages: [say(`In the context of ${context}.`)] };
  });
}
