import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

/** A server of the first generation: SDK v1, served over HTTP+SSE of 2024-11-05. */
export function buildClock(): McpServer {
  const server = new McpServer({ name: "clock", version: "1.0.0" });
  server.registerTool(
    "get_time",
    {
      title: "Time",
      description: "Returns the current time in a time zone, such as Europe/Vienna.",
      inputSchema: { timeZone: z.string().max(64).optional() },
      annotations: { readOnlyHint: true },
    },
    ({ timeZone = "UTC" }) => {
      try {
        const text = new Date().toLocaleString("en-GB", { timeZone, timeZoneName: "short" });
        return { content: [{ type: "text", text }] };
      } catch {
        const text = `The time zone ${JSON.stringify(timeZone)} is unknown.`;
        return { content: [{ type: "text", text }], isError: true };
      }
    },
  );
  return server;
}
