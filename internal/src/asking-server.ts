import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** A server of SDK v1 whose tool asks its user, `times` times, and returns the answers. */
export function askingServer(): Server {
  const server = new Server({ name: "asking", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "ask", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendRequest }) => {
    const { times = 1, together = false } = (params.arguments ?? {}) as {
      times?: number;
      together?: boolean;
    };
    const ask = async (n: number): Promise<unknown> => {
      const requestedSchema = {
        type: "object" as const,
        properties: { name: { type: "string" as const } },
      };
      const params = { message: `Question ${n}`, requestedSchema };
      return sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, { signal });
    };
    const received: unknown[] = [];
    if (together) received.push(...(await Promise.all([ask(1), ask(2)])));
    else for (let n = 1; n <= times; n++) received.push(await ask(n));
    return { content: [{ type: "text", text: JSON.stringify(received) }] };
  });
  return server;
}
