// An app as its author defines it; the views in this folder import only its type.

import { appTool, defineApp } from "@vitrine/server";
import { z } from "zod";

export const weather = defineApp({
  name: "weather",
  tool: {
    inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
    outputSchema: z.object({
      celsius: z.number(),
      days: z.array(z.object({ day: z.string(), high: z.number() })),
    }),
    handler: ({ city, days }, { signal }) => ({
      data: {
        celsius: 21,
        days: Array.from({ length: days }, () => ({ day: city.toUpperCase(), high: 20 })),
      },
      private: { aborted: signal.aborted },
    }),
  },
  tools: {
    "set-unit": appTool({
      inputSchema: z.object({ unit: z.enum(["C", "F"]) }),
      outputSchema: z.object({ saved: z.boolean() }),
      handler: ({ unit }) => ({ data: { saved: unit === "C" } }),
    }),
    refresh: appTool({ handler: () => ({ text: "fresh" }) }),
  },
  view: "<!doctype html><title>Weather</title>",
});
