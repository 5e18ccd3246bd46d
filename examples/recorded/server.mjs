// Prices in other currencies: a View that asks its server for more than it was given. The rates are
// fixed, so that a recording of it holds for ever.

import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { defineApp } from "@vitrine/server";
import { script } from "@vitrine/view/inline";
import { z } from "zod";

const RATES = { EUR: 1, USD: 1.25, CHF: 0.95, JPY: 160 };

const [page = "view.html"] = process.argv.slice(2);
const html = readFileSync(new URL(page, import.meta.url), "utf8");
const readOnlyHint = true;

const prices = defineApp({
  name: "price",
  tool: {
    description: "Shows a price in euro and in other currencies",
    inputSchema: z.object({ amount: z.number().min(0).default(20) }),
    outputSchema: z.object({ amount: z.number(), others: z.array(z.string()) }),
    annotations: { readOnlyHint },
    handler: ({ amount }) => ({ data: { amount, others: ["USD", "CHF"] } }),
  },
  view: html.replace("<!-- script -->", () => `<script>${script}</script>`),
});

function build() {
  const server = prices.register(new McpServer({ name: "prices", version: "1.0.0" }));
  server.registerTool(
    "convert",
    {
      description: "A price in one other currency",
      inputSchema: z.object({ amount: z.number(), to: z.enum(Object.keys(RATES)) }),
      annotations: { readOnlyHint },
      _meta: { ui: { visibility: ["app"] } },
    },
    ({ amount, to }) => ({
      content: [{ type: "text", text: `${(amount * RATES[to]).toFixed(2)} ${to}` }],
    }),
  );
  return server;
}

serveStdio(build);
