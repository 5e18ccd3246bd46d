import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/**
 * A server of SDK v1 whose tool asks its user, `times` times, or a model, if there is a `sample`, and
 * returns the answers.
 */
export function askingServer(): Server {
  const server = new Server({ name: "asking", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "ask", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendRequest }) => {
    const {
      times = 1,
      together = false,
      sample,
    } = (params.arguments ?? {}) as {
      times?: number;
      together?: boolean;
      sample?: string;
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
    if (sample !== undefined) {
      const content = { type: "text" as const, text: sample };
      const params = { messages: [{ role: "user" as const, content }], maxTokens: 10 };
      const request = { method: "sampling/createMessage", params } as const;
      received.push(await sendRequest(request, CreateMessageResultSchema, { signal }));
    } else if (together) received.push(...(await Promise.all([ask(1), ask(2)])));
    else for (let n = 1; n <= times; n++) received.push(await ask(n));
    return { content: [{ type: "text", text: JSON.stringify(received) }] };
  });
  return server;
}
