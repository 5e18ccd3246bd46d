// A server whose Views are files of a folder, read at each request: `node workshop.mjs <folder>`. It has a
// tool for every kind of View that a test edits or breaks.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [folder = "."] = process.argv.slice(2);
const VIEWS = ["board", "broken", "blocked", "talk"];
const GREETING = globalThis.workshopGreeting ?? "Hello";
const mimeType = "text/html;profile=mcp-app";

function build() {
  const server = new McpServer({ name: "workshop", version: "1.2.3" });
  for (const name of VIEWS) {
    const uri = `ui://workshop/${name}.html`;
    server.registerResource(name, uri, { mimeType }, async () => ({
      contents: [{ uri, mimeType, text: await readFile(join(folder, `${name}.html`), "utf8") }],
    }));
    server.registerTool(
      name,
      {
        description: `Shows ${name}.html`,
        inputSchema: z.object({
          title: z.string().default("Plan").describe("Heading of the board"),
        }),
        annotations: { readOnlyHint: true },
        _meta: { ui: { resourceUri: uri } },
      },
      ({ title }) => ({ content: [{ type: "text", text: `${GREETING}, ${title}` }] }),
    );
  }
  server.registerTool(
    "order",
    {
      title: "Order a part",
      description: "Takes one of each kind of input, and answers with it.",
      inputSchema: z.object({
        part: z.string().min(2).describe("What to order"),
        count: z.number().int().min(1).max(99),
        express: z.boolean().optional(),
        size: z.enum(["small", "large"]),
        tags: z.array(z.string()).optional(),
        address: z.object({ city: z.string(), since: z.iso.date().optional() }).optional(),
        payment: z
          .union([
            z.object({ kind: z.literal("card"), last: z.string().length(4) }),
            z.object({ kind: z.literal("invoice"), days: z.int().default(30) }),
          ])
          .optional(),
      }),
    },
    (input) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
  );
  server.registerTool(
    "restock",
    {
      description: "Only views call this one.",
      inputSchema: z.object({ part: z.string() }),
      _meta: { ui: { visibility: ["app"] } },
    },
    ({ part }) => ({ content: [{ type: "text", text: `Restocked ${part}` }] }),
  );
  return server;
}

serveStdio(build);
