// A tool call as chats describe it, in words that fit all agent libraries.

import type { ToolData } from "@vitrine/host";
import { readPartialJson } from "@vitrine/host/model";
import type { CallToolResult } from "@vitrine/protocol/apps";

/** How far a tool call has come. */
export type ToolPartState =
  | "streaming" // the model is writing the arguments
  | "input" // the arguments are complete, the tool runs or waits for approval
  | "result"
  | "stopped" // the user stopped it
  | "denied" // the user, or a rule, didn't allow it
  | "error"; // the call failed without a result of the tool

/** A tool call in a message. */
export interface ToolPart {
  /** The id of the call, unique in its conversation. */
  callId: string;
  /** The tool's name, as the model wrote it. */
  name: string;
  state: ToolPartState;
  /** The arguments, complete or not. */
  input?: unknown;
  /** The arguments as far as the model has written them, where the library has only text. */
  inputText?: string | undefined;
  /** The tool's result. */
  result?: unknown;
  /** Why it failed. */
  errorText?: string | undefined;
  /** Whether the user approved the call, for tools that need it. */
  isApproved?: boolean;
}

const STOPPED = "The user stopped the call.";
const DENIED = "The user didn't allow the call.";

// Components compare what they get, so the same text becomes the same result each time.
const made = new Map<string, CallToolResult>();
const MOST_MADE = 100;

function once(key: string, make: () => CallToolResult): CallToolResult {
  const result = made.get(key) ?? make();
  if (made.size >= MOST_MADE) made.clear();
  made.set(key, result);
  return result;
}

/** The data of a tool call for its view. */
export function toolDataOf(part: ToolPart): ToolData {
  const { state } = part;
  if (state === "streaming") return { partialInput: partialOf(part) };
  const input = asObject(part.input) ?? partialOf(part);
  if (state === "stopped") return { input, cancelled: STOPPED };
  if (state === "denied") return { input, cancelled: DENIED };
  if (state === "error") return { input, result: failureOf(part.errorText ?? "The call failed.") };
  if (state === "result") return { input, result: toResult(part.result) };
  return { input };
}

function partialOf({ input, inputText }: ToolPart): Record<string, unknown> {
  return asObject(input) ?? (inputText === undefined ? {} : readPartialJson(inputText));
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

function failureOf(text: string): CallToolResult {
  return once(`error ${text}`, () => ({ content: [{ type: "text", text }], isError: true }));
}

const results = new WeakMap<object, CallToolResult>();

/** A result in the form of MCP: libraries may keep only its text, or its structured content. */
function toResult(value: unknown): CallToolResult {
  if (typeof value !== "object" || value === null) return textResult(value);
  if (Array.isArray((value as { content?: unknown }).content)) return value as CallToolResult;
  const known = results.get(value);
  if (known) return known;
  const text = JSON.stringify(value);
  const result = {
    content: [{ type: "text", text }],
    ...(!Array.isArray(value) && { structuredContent: value }),
  } as CallToolResult;
  results.set(value, result);
  return result;
}

function textResult(value: unknown): CallToolResult {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return once(`text ${text}`, () => readWhole(text) ?? { content: [{ type: "text", text }] });
}

/** Some libraries write a whole result as JSON into one text. */
function readWhole(text: string): CallToolResult | undefined {
  if (!text.startsWith('{"')) return undefined;
  try {
    const value = JSON.parse(text) as { content?: unknown };
    return Array.isArray(value.content) ? (value as CallToolResult) : undefined;
  } catch {
    return undefined;
  }
}
