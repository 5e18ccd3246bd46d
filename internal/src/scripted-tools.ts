import type { App, RegisteredAppTool } from "@vitrine/view";
import * as z from "zod";

/** Tools that a scripted View can offer its Host, one for each way a call can end. */
export const SCRIPTED_TOOLS = {
  /** Validates both ways. */
  add: (app) =>
    app.registerTool(
      "add",
      {
        title: "Add",
        description: "Adds two numbers",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
        annotations: { readOnlyHint: true },
        _meta: { "vendor/icon": "plus" },
      },
      async ({ a, b }) => ({
        content: [{ type: "text", text: `${a + b}` }],
        structuredContent: { sum: a + b },
      }),
    ),
  /** Has no schema; returns the request it serves. */
  whoami: (app) =>
    app.registerTool("whoami", {}, ({ mcpReq }) => ({
      content: [{ type: "text", text: mcpReq.method }],
    })),
  /** Throws. */
  fail: (app) =>
    app.registerTool("fail", { description: "Fails" }, () => {
      throw new Error("the board is full");
    }),
  /** Breaks the promise its output schema makes. */
  lie: (app) =>
    app.registerTool("lie", { outputSchema: z.object({ sum: z.number() }) }, () => ({
      content: [],
      structuredContent: { sum: "many" as never },
    })),
  /** Ends only when its caller gives up. */
  wait: (app, received) =>
    app.registerTool("wait", {}, ({ mcpReq: { signal } }) => {
      received("wait:started");
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          received("wait:aborted");
          resolve({ content: [] });
        });
      });
    }),
} satisfies Record<string, (app: App, received: (event: string) => void) => RegisteredAppTool>;

/** The name of a scripted tool. */
export type ScriptedTool = keyof typeof SCRIPTED_TOOLS;
