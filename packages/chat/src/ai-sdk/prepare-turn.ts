import type { AppsClients } from "@vitrine/host/remote";
import type { CallToolResult } from "@vitrine/protocol/apps";
import {
  convertToModelMessages,
  dynamicTool,
  jsonSchema,
  type ModelMessage,
  type Tool,
  type ToolExecutionOptions,
  type ToolSet,
  type UIMessage,
} from "ai";
import { type ModelResult, modelResult } from "../server/model-result.ts";
import { listModelTools, type ModelTool } from "../server/model-tools.ts";
import { describeModelContext, readTurn } from "../server/turn.ts";

/** The body of a request of `useMcpChat`. */
export interface ChatBody {
  messages: UIMessage[];
  apps?: unknown;
}

/** Options of `prepareTurn`. */
export interface PrepareTurnOptions {
  /** The connections of the user, by your names for their servers. */
  clients: AppsClients;
  /** The body of the page's request. */
  body: ChatBody;
  /** Called for a server that doesn't respond. */
  onError?(server: string, error: unknown): void;
  /** Wraps each call, to log it for example. */
  call?(
    tool: ModelTool,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult>;
}

/** The call that the model made. */
export interface CallOptions {
  callId: string;
  signal?: AbortSignal | undefined;
}

/** What `streamText` needs for a turn. */
export interface PreparedTurn {
  /** The tools of all servers and of the views in the page. Those of views have no `execute`. */
  tools: ToolSet;
  /** The conversation for the model, with what the views tell it. */
  messages: ModelMessage[];
  /** The servers' tools behind `tools`, by name: to decide which of them need approval. */
  modelTools: ReadonlyMap<string, ModelTool>;
}

/** Prepares a turn of the model: `streamText({ model, ...await prepareTurn({ clients, body }) })`. */
export async function prepareTurn(options: PrepareTurnOptions): Promise<PreparedTurn> {
  const { clients, body, onError } = options;
  const { context, appTools } = readTurn(body.apps);
  const listed = await listModelTools(clients, { ...(onError && { onError }) });
  const modelTools = new Map(listed.map((tool) => [tool.name, tool]));
  const tools: ToolSet = {};
  for (const tool of listed) tools[tool.name] = toTool(tool, options.call ?? callTool);
  for (const { name, description = "", inputSchema } of appTools) {
    const schema = jsonSchema(inputSchema as never);
    tools[name] = dynamicTool({ description, inputSchema: schema, toModelOutput } as never) as Tool;
  }
  const converted = await convertToModelMessages(body.messages, {
    tools,
    // Calls that the user stopped have no result, and models' APIs reject those.
    ignoreIncompleteToolCalls: true,
  });
  return { tools, messages: withContext(converted, describeModelContext(context)), modelTools };
}

const callTool: NonNullable<PrepareTurnOptions["call"]> = (tool, args, { signal }) =>
  tool.call(args, { signal });

function toTool(tool: ModelTool, call: NonNullable<PrepareTurnOptions["call"]>): Tool {
  const { description, inputSchema } = tool;
  return dynamicTool({
    description,
    title: tool.tool.title,
    inputSchema: jsonSchema(inputSchema as never),
    execute: (args: unknown, { toolCallId, abortSignal }: ToolExecutionOptions<never>) =>
      call(tool, Object(args) as Record<string, unknown>, {
        callId: toolCallId,
        signal: abortSignal,
      }),
    toModelOutput,
  } as never) as Tool;
}

/** The model's part of a result; the page gets the whole result, for the view. */
function toModelOutput({ output }: { output: unknown }): object {
  const { content, isError } = modelResult(Object(output) as CallToolResult);
  if (isError) return { type: "error-text", value: textOf(content) };
  // Providers whose results are one text would write a list as JSON.
  if (content.every(({ type }) => type === "text")) return { type: "text", value: textOf(content) };
  return {
    type: "content",
    value: content.map((item) =>
      item.type === "text"
        ? item
        : { type: "file", mediaType: item.mimeType, data: { type: "data", data: item.data } },
    ),
  };
}

function textOf(content: ModelResult["content"]): string {
  return content.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");
}

/** Before the user's last message, so that this stays the last thing the model reads. */
function withContext(messages: ModelMessage[], context: string | undefined): ModelMessage[] {
  if (context === undefined) return messages;
  const last = messages.findLastIndex(({ role }) => role === "user");
  const message: ModelMessage = { role: "user", content: [{ type: "text", text: context }] };
  return [...messages.slice(0, Math.max(0, last)), message, ...messages.slice(Math.max(0, last))];
}
