import { sampleArguments } from "@vitrine/conformance/reading";
import { asRecord, type Json } from "../json.ts";
import { type Ask, wordsOfError } from "./ask.ts";
import type { SurveyOptions, UiTool } from "./survey.ts";

/** A call of a UI tool, and what came of it. */
export interface ToolCall {
  name: string;
  arguments: Json;
  /** Whether somebody chose the arguments; made-up ones may well be refused. */
  isGiven: boolean;
  result?: Json;
  /** Why there is no result. */
  problem?: string;
  /** Why it was not called at all. */
  skipped?: string;
}

/** Calls every UI tool that may be, with the arguments given or some made from its schema. */
export async function callTools(
  ask: Ask,
  uiTools: readonly UiTool[],
  { calls = {}, calling = "safe" }: SurveyOptions,
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

/** Why a tool is not called, if so: a stranger's tool may do things. */
function refusal(tool: Json, calling: SurveyOptions["calling"]): string | undefined {
  if (calling === "all") return undefined;
  if (calling === "none") return "no tool was to be called";
  const { destructiveHint, readOnlyHint } = asRecord(tool.annotations);
  return destructiveHint === true || readOnlyHint === false
    ? "it says that it changes things"
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
