// An app whose view shows the results of two tools.

import { type AppOf, appTool, defineApp } from "@vitrine/server";
import { App } from "@vitrine/view";
import { z } from "zod";

export const cart = defineApp({
  name: "cart",
  tool: {
    outputSchema: z.object({ kind: z.literal("list"), items: z.array(z.string()) }),
    handler: () => ({ data: { kind: "list" as const, items: ["tea"] } }),
  },
  tools: {
    add: appTool({
      opens: true,
      inputSchema: z.object({ item: z.string() }),
      outputSchema: z.object({ kind: z.literal("added"), item: z.string() }),
      handler: ({ item }) => ({ data: { kind: "added" as const, item } }),
    }),
    count: appTool({
      outputSchema: z.object({ kind: z.literal("count"), total: z.number() }),
      handler: () => ({ data: { kind: "count" as const, total: 1 } }),
    }),
  },
  view: "<!doctype html><title>Cart</title>",
});

const app = new App<AppOf<typeof cart>>({ name: "cart", version: "1.0.0" });

app.ontoolresult = ({ structuredContent: shown }) => {
  if (shown?.kind === "list") {
    document.title = shown.items.join();
  }
  if (shown?.kind === "added") document.title = shown.item;
};
