import { sampleArguments } from "@vitrine/conformance/reading";
import { asRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";
import type { UiTool } from "./ui-tool.ts";

/** Which tools are called, and how. */
export interface CallOptions {
  /** Arguments by tool name. */
  calls?: Record<string, Json>;
  /** Which UI tools to call. `safe` skips tools that declare changes. */
  calling?: "safe" | "all" | "none";
}

/** A call of a UI tool, and its outcome. */
export interface ToolCall {
  name: string;
  arguments: Json;
  /** Whether the user chose the arguments; generated ones may well be rejected. */
  isGiven: boolean;
  result?: Json;
  /** Why the call returned no result. */
  problem?: string;
  /** Why it wasn't called. */
  skipped?: string;
}

/**
 * Calls every UI tool that may be called, with the given arguments or some generated from its schema.
 */
export async function callTools(
  ask: Ask,
  uiTools: readonly UiTool[],
  { calls = {}, calling = "safe" }: CallOptions,
): Promise<ToolCall[]> {
  const made: ToolCall[] = [];
  for (const { name, tool } of uiTools) {
    const isGiven = Object.hasOwn(calls, name);
    const call = { name, arguments: calls[name] ?? sampleArguments(tool.inputSchema), isGiven };
    const skipped = isGiven ? undefined : refusal(tool, calling);
    if (skipped) made.push({ ...call, skipped });
    else made.push({ ...call, ...(await callTool(ask, call)) });
  }
  return made;
}

/** Why a tool isn't called, if so: a third-party tool may have side effects. */
function refusal(tool: Json, calling: CallOptions["calling"]): string | undefined {
  if (calling === "all") return undefined;
  if (calling === "none") return "calling tools is turned off";
  const { destructiveHint, readOnlyHint } = asRecord(tool.annotations);
  return destructiveHint === true || readOnlyHint === false
    ? "it declares that it changes things"
    : undefined;
}

async function callTool(
  ask: Ask,
  call: Pick<ToolCall, "name" | "arguments">,
): Promise<Pick<ToolCall, "result" | "problem">> {
  try {
    return { result: await ask("tools/call", { name: call.name, arguments: call.arguments }) };
  } catch (error) {
    return { problem: wordsOfError(error) };
  }
}

/** The text in a result, as a model would read it. */
export function textOf({ content }: Json): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map(asRecord)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n")
    .trim();
}
