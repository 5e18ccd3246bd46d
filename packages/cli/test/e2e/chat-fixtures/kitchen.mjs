// A server over stdio for the tests of the chat: tools that read, change something, ask and take long.

import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const object = (properties = {}) => ({ type: "object", properties });
const events = [];
const MENU = "ui://kitchen/menu";

const TOOLS = {
  read_fridge: {
    title: "Read the fridge",
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: () => text("milk, eggs"),
  },
  empty_fridge: {
    title: "Empty the fridge",
    inputSchema: object({ shelf: { type: "string" } }),
    annotations: { destructiveHint: true },
    call: ({ shelf }) => {
      events.push(`emptied ${shelf}`);
      return text(`The ${shelf} shelf is empty.`);
    },
  },
  change_menu: {
    title: "Change the menu",
    inputSchema: object({ dish: { type: "string" } }),
    _meta: { ui: { resourceUri: MENU } },
    call: ({ dish }) => {
      events.push(`menu: ${dish}`);
      return text(`The menu has ${dish}.`);
    },
  },
  list_events: {
    title: "List events",
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: () => text(events.join(", ") || "nothing"),
  },
  read_environment: {
    title: "Read the environment",
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: () => text(Object.keys(process.env).sort().join(" ")),
  },
  bake: {
    title: "Bake",
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: async (_, { signal }) => {
      await wait(60_000, undefined, { signal }).catch(() => events.push("baking was cancelled"));
      return text("A cake.");
    },
  },
  ask_guest: {
    title: "Ask the guest",
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: async (_, { sendRequest }) => {
      const answer = await sendRequest(
        {
          method: "elicitation/create",
          params: {
            message: "What would you like to eat?",
            requestedSchema: {
              type: "object",
              required: ["dish"],
              properties: {
                dish: { type: "string", title: "Dish", enum: ["soup", "salad"] },
                guests: { type: "integer", title: "Guests", minimum: 1, default: 2 },
                spicy: { type: "boolean", title: "Spicy" },
                note: { type: "string", title: "Note", description: "Allergies, for example." },
              },
            },
          },
        },
        ElicitResultSchema,
      );
      return text(JSON.stringify(answer));
    },
  },
};

const server = new Server(
  { name: "kitchen", version: "1.0.0" },
  { capabilities: { tools: {}, resources: {} } },
);
// The view of "Change the menu": the file that the first argument names.
const mimeType = "text/html;profile=mcp-app";
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: [{ uri: MENU, name: "Menu", mimeType }],
}));
server.setRequestHandler(ReadResourceRequestSchema, async () => ({
  contents: [{ uri: MENU, mimeType, text: await readFile(process.argv[2], "utf8") }],
}));
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(TOOLS).map(([name, { call: _, ...tool }]) => ({ name, ...tool })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
  TOOLS[params.name].call(params.arguments ?? {}, extra),
);
await server.connect(new StdioServerTransport());
