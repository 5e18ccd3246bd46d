import { wordsOf } from "../deadline.ts";
import { asRecord, type Json } from "../json.ts";
import { sampleArguments } from "../targets/sample.ts";
import type { ServerSession } from "../targets/server-session.ts";
import type { UiTool } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";

/** A call of a UI tool, and what came of it. */
export interface ToolCall {
  name: string;
  result?: Json;
  /** Why there is no result. */
  problem?: string;
}

/** Why a tool is not called, if so: a stranger's tool may do things. */
export function refusal({ name, tool }: UiTool, { options }: ServerTarget): string | undefined {
  const { calls = {}, calling = "safe" } = options;
  if (name in calls || calling === "all") return undefined;
  if (calling === "none") return `${name} was not to be called`;
  const { destructiveHint, readOnlyHint } = asRecord(tool.annotations);
  if (destructiveHint === true || readOnlyHint === false) {
    return `${name} says that it changes things; name its arguments to have it called`;
  }
  return undefined;
}

/** Calls every UI tool that may be, with the arguments given or some made from its schema. */
export async function callTools(
  session: ServerSession,
  uiTools: readonly UiTool[],
  target: ServerTarget,
): Promise<{ calls: ToolCall[]; refused: string[] }> {
  const calls: ToolCall[] = [];
  const refused: string[] = [];
  for (const uiTool of uiTools) {
    const reason = refusal(uiTool, target);
    if (reason) refused.push(reason);
    else calls.push(await callTool(session, uiTool, target));
  }
  return { calls, refused };
}

async function callTool(
  session: ServerSession,
  { name, tool }: UiTool,
  { options }: ServerTarget,
): Promise<ToolCall> {
  const given = options.calls?.[name];
  try {
    const result = await session.request("tools/call", {
      name,
      arguments: given ?? sampleArguments(tool.inputSchema),
    });
    // Made-up arguments may well be refused, which says nothing of the tool's results.
    if (result.isError === true && !given) {
      return { name, problem: `${name} refused made-up arguments: ${textOf(result).slice(0, 80)}` };
    }
    return { name, result };
  } catch (error) {
    return { name, problem: `${name} answered "${wordsOf(error).slice(0, 120)}"` };
  }
}

/** The text in a result, as a model would read it. */
export function textOf({ content }: Json): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => asRecord(block))
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n")
    .trim();
}
