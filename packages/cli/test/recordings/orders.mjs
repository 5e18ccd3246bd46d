// A server for recordings: `node orders.mjs <file of the view>`. Its tools need no consent, one answer, or
// one for each call.

import { readFile } from "node:fs/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [file = ""] = process.argv.slice(2);
const uri = "ui://orders/view.html";
const mimeType = "text/html;profile=mcp-app";
const orders = [
  { id: "a", part: "Axle", sent: false },
  { id: "b", part: "Belt", sent: true },
  { id: "c", part: "Crank", sent: false },
];
const list = (found = orders) => ({
  content: [{ type: "text", text: `${found.length} orders` }],
  structuredContent: { orders: found },
});

serveStdio(() => {
  const server = new McpServer({ name: "orders", version: "1.0.0" });
  server.registerResource("view", uri, { mimeType }, async () => ({
    contents: [{ uri, mimeType, text: await readFile(file, "utf8") }],
  }));
  const readOnly = { annotations: { readOnlyHint: true } };
  server.registerTool(
    "show_orders",
    { description: "Shows the orders.", ...readOnly, _meta: { ui: { resourceUri: uri } } },
    () => list(),
  );
  server.registerTool(
    "find_orders",
    {
      description: "Finds orders.",
      ...readOnly,
      inputSchema: z.object({ text: z.string(), sort: z.string() }),
    },
    ({ text, sort }) => {
      const found = orders.filter(({ part }) => part.toLowerCase().includes(text.toLowerCase()));
      return list(sort === "down" ? found.toReversed() : found);
    },
  );
  server.registerTool(
    "set_sent",
    {
      description: "Marks an order.",
      inputSchema: z.object({ id: z.string(), sent: z.boolean() }),
    },
    ({ id, sent }) => {
      const order = orders.find((one) => one.id === id);
      if (order) order.sent = sent;
      return list();
    },
  );
  server.registerTool(
    "add_order",
    { description: "Adds an order.", inputSchema: z.object({ part: z.string() }) },
    ({ part }) => {
      orders.push({ id: `n${orders.length}`, part, sent: false });
      return list();
    },
  );
  server.registerTool(
    "remove_order",
    { description: "Removes an order.", ...readOnly, inputSchema: z.object({ id: z.string() }) },
    ({ id }) => {
      orders.splice(orders.findIndex((one) => one.id === id) >>> 0, 1);
      return list();
    },
  );
  return server;
});
