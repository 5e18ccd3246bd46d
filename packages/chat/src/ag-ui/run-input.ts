// Reads what a page sends for a run. Anybody who is logged in can send something else, so it is bounded
// and checked.

import { cutText, forModel } from "@vitrine/host/model";
import { RequestRejection } from "@vitrine/host/remote";
import { dynamicTool, jsonSchema, type Tool, type ToolSet, type UIMessage } from "ai";
import type { AgUiContext, AgUiMessage, AgUiTool } from "./agent.ts";
import { callsOf, readInput, textOf } from "./tool-calls.ts";

/** A run that a page asks for. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages: AgUiMessage[];
  tools: AgUiTool[];
  context: AgUiContext[];
}

const MOST_MESSAGES = 10_000;
const MOST_TOOLS = 128;
const LONGEST_ID = 200;
const DESCRIPTION = 4096;
const TOOL_NAME = /^[\w-]{1,64}$/;
const APP_TOOL = /^app_/;

/** The run. Throws a `RequestRejection`. */
export function readRunInput(body: unknown): RunInput {
  const { threadId, runId, messages, tools = [], context = [] } = Object(body) as Fields;
  if (!isId(threadId) || !isId(runId)) {
    throw malformed(`threadId and runId must be texts of 1 to ${LONGEST_ID} characters.`);
  }
  if (!Array.isArray(messages) || messages.length > MOST_MESSAGES) {
    throw malformed(`messages must be a list of at most ${MOST_MESSAGES}.`);
  }
  if (!Array.isArray(tools) || !Array.isArray(context)) {
    throw malformed("tools and context must be lists.");
  }
  return {
    threadId,
    runId,
    messages: messages.filter(isMessage),
    tools: tools.slice(0, MOST_TOOLS).filter(isTool),
    context: context.filter(isContext),
  };
}

const malformed = (why: string): RequestRejection => new RequestRejection(400, why);

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= LONGEST_ID;

function isMessage(value: unknown): value is AgUiMessage {
  if (!isRecord(value) || typeof value.role !== "string") return false;
  const { toolCalls } = value;
  return toolCalls === undefined || (Array.isArray(toolCalls) && toolCalls.every(isCall));
}

function isCall(value: unknown): boolean {
  if (!isRecord(value) || !isId(value.id) || !isRecord(value.function)) return false;
  return isId(value.function.name) && typeof value.function.arguments === "string";
}

const isTool = (value: unknown): value is AgUiTool =>
  isRecord(value) &&
  typeof value.name === "string" &&
  TOOL_NAME.test(value.name) &&
  typeof value.description === "string";

const isContext = (value: unknown): value is AgUiContext =>
  isRecord(value) && typeof value.description === "string" && typeof value.value === "string";

/**
 * The conversation as messages of the AI SDK. Messages with the roles "system" and "developer" are left
 * out: the instructions are the server's, and a page can't replace them.
 */
export function toUiMessages(messages: readonly AgUiMessage[]): UIMessage[] {
  const answers = new Map<string, AgUiMessage>();
  for (const { call, answer } of callsOf(messages)) if (answer) answers.set(call.id, answer);
  return messages.flatMap((message, index): UIMessage[] => {
    const { role } = message;
    if (role !== "user" && role !== "assistant") return [];
    const text = textOf(message.content);
    const calls = role === "assistant" ? (message.toolCalls ?? []) : [];
    const parts = [
      ...(text ? [{ type: "text" as const, text }] : []),
      // A call without an answer was stopped; models' APIs reject those.
      ...calls.flatMap(({ id, function: { name, arguments: input } }) => {
        const answer = answers.get(id);
        return answer ? [toPart(id, name, readInput(input) ?? {}, answer)] : [];
      }),
    ];
    return parts.length > 0 ? [{ id: `${index}`, role, parts }] : [];
  });
}

function toPart(toolCallId: string, toolName: string, input: object, answer: AgUiMessage) {
  const content = [{ type: "text", text: textOf(answer.content) }];
  return {
    type: "dynamic-tool" as const,
    toolCallId,
    toolName,
    state: "output-available" as const,
    input,
    output: answer.error === undefined ? { content } : { content, isError: true },
  };
}

/** What `prepareTurn` reads of a page: the tools of views, and all context. */
export function toTurn({ tools, context }: RunInput): object {
  return {
    appTools: tools
      .filter(({ name }) => APP_TOOL.test(name))
      .map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: schemaOf(parameters),
      })),
    context: context.map(({ description, value }, index) => ({
      key: `${index}`,
      content: [{ type: "text", text: `${description}\n${value}` }],
    })),
  };
}

/** The tools of the page itself, which it answers as it does those of views. */
export function pageTools({ tools }: RunInput, taken: ToolSet): ToolSet {
  const own: ToolSet = {};
  for (const { name, description, parameters } of tools) {
    if (APP_TOOL.test(name) || Object.hasOwn(taken, name)) continue;
    own[name] = dynamicTool({
      description: cutText(description, DESCRIPTION),
      inputSchema: jsonSchema(forModel(schemaOf(parameters)) as never),
    } as never) as Tool;
  }
  return own;
}

function schemaOf(parameters: unknown): object {
  return isRecord(parameters) && parameters.type === "object"
    ? parameters
    : { type: "object", properties: {} };
}
