import { wordsOf } from "../deadline.ts";
import { asRecord, type Json } from "../json.ts";
import { sampleArguments } from "../targets/sample.ts";
import type { ServerSession } from "../targets/server-session.ts";
import type { UiTool } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";

/** A call of a UI tool, and its outcome. */
export interface ToolCall {
  name: string;
  result?: Json;
  /** Why the call returned no result. */
  problem?: string;
}

/** Why a tool isn't called, if so: a third-party tool may have side effects. */
export function refusal({ name, tool }: UiTool, { options }: ServerTarget): string | undefined {
  const { calls = {}, calling = "safe" } = options;
  if (name in calls || calling === "all") return undefined;
  if (calling === "none") return `${name} was not called: calling is turned off`;
  const { destructiveHint, readOnlyHint } = asRecord(tool.annotations);
  if (destructiveHint === true || readOnlyHint === false) {
    return `${name} declares that it changes things; pass its arguments to call it`;
  }
  return undefined;
}

/**
 * Calls every UI tool that may be called, with the given arguments or some generated from its schema.
 */
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
    // Generated arguments may be rejected, so it proves nothing about the tool's results.
    if (result.isError === true && !given) {
      return {
        name,
        problem: `${name} rejected generated arguments: ${textOf(result).slice(0, 80)}`,
      };
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
