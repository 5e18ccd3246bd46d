// A server of 2026-07-28 that asks its user and a model, reports progress, and has prompts and
// resources: `node studio.mjs <folder>`; its one view is a file of that folder.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  acceptedContent,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [folder = "."] = process.argv.slice(2);
const mimeType = "text/html;profile=mcp-app";
const uri = "ui://studio/picture.html";
const text = (value) => ({ content: [{ type: "text", text: value }] });

function build() {
  const server = new McpServer(
    { name: "studio", version: "1.0.0" },
    { capabilities: { logging: {} } },
  );
  server.registerResource("picture", uri, { mimeType }, async () => ({
    contents: [{ uri, mimeType, text: await readFile(join(folder, "picture.html"), "utf8") }],
  }));
  server.registerTool(
    "picture",
    {
      description: "Shows a picture, with private data for the code of its view.",
      inputSchema: z.object({ title: z.string().default("Sea") }),
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: uri } },
    },
    ({ title }) => {
      console.error(`picture of ${title}`);
      return {
        content: [{ type: "text", text: `A picture of ${title}` }],
        structuredContent: { title, pixels: [1, 2, 3] },
        _meta: { token: "only-for-code" },
      };
    },
  );
  server.registerTool("book", { inputSchema: z.object({}) }, (_given, { mcpReq }) => {
    const { inputResponses } = mcpReq;
    if (inputResponses?.guest)
      return text(
        `${inputResponses.guest.action}: ${JSON.stringify(acceptedContent(inputResponses, "guest") ?? null)}`,
      );
    const requestedSchema = {
      type: "object",
      properties: {
        name: { type: "string", title: "Name" },
        guests: { type: "integer", title: "Guests", default: 2 },
        room: { type: "string", title: "Room", enum: ["sea", "garden"] },
      },
      required: ["name", "room"],
    };
    const guest = inputRequired.elicit({ message: "Who is coming?", requestedSchema });
    return inputRequired({ inputRequests: { guest } });
  });
  server.registerTool(
    "visit",
    { inputSchema: z.object({ url: z.string() }) },
    ({ url }, { mcpReq }) => {
      const { paid } = mcpReq.inputResponses ?? {};
      if (paid) return text(`visit: ${paid.action}`);
      const asked = inputRequired.elicitUrl({ message: "Pay first.", url });
      return inputRequired({ inputRequests: { paid: asked } });
    },
  );
  server.registerTool("poem", { inputSchema: z.object({}) }, (_given, { mcpReq }) => {
    const { poem } = mcpReq.inputResponses ?? {};
    if (poem) return text(`poem: ${poem.content.text}`);
    const content = { type: "text", text: "Write about <b>rain</b>" };
    const asked = inputRequired.createMessage({
      systemPrompt: "You are a poet.",
      messages: [{ role: "user", content }],
      maxTokens: 50,
    });
    return inputRequired({ inputRequests: { poem: asked } });
  });
  server.registerTool("develop", { inputSchema: z.object({}) }, async (_given, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    const params = { progressToken, progress: 3, total: 8, message: "In the darkroom" };
    if (progressToken !== undefined)
      await mcpReq.notify({ method: "notifications/progress", params });
    await mcpReq.log("warning", "The red light is on", "darkroom");
    // Until it is cancelled.
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    return text("developed");
  });
  server.registerPrompt(
    "describe",
    { description: "Describes a picture", argsSchema: z.object({ title: z.string() }) },
    ({ title }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Describe ${title}.` } }],
    }),
  );
  server.registerResource("notes", "studio://notes", { mimeType: "text/plain" }, () => ({
    contents: [
      { uri: "studio://notes", mimeType: "text/plain", text: `Notes ${"n".repeat(300_000)}` },
    ],
  }));
  server.registerResource(
    "film",
    new ResourceTemplate("studio://films/{id}", { list: undefined }),
    { mimeType: "application/json" },
    (address, { id }) => ({
      contents: [{ uri: address.href, mimeType: "application/json", text: JSON.stringify({ id }) }],
    }),
  );
  return server;
}

serveStdio(build);
