import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { defineApp } from "@vitrine/server";
import { detail } from "@vitrine/server/templates";
import { z } from "zod";

const dice = defineApp({
  name: "dice",
  tool: {
    outputSchema: z.object({ eyes: z.number() }),
    handler: () => ({ data: { eyes: Math.ceil(Math.random() * 6) } }),
  },
  view: detail({ title: "Dice" }),
  prefersBorder: true,
});
serveStdio(() => dice.register(new McpServer({ name: "dice", version: "1.0.0" })));
