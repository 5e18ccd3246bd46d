import { INVALID_REQUEST, RpcError } from "@vitrine/protocol";
import type { CallToolResult } from "@vitrine/protocol/apps";
import { MountError } from "./mount-error.ts";
import type { MountOptions, ToolAnswer } from "./mount-options.ts";

/** A tool call that the view made. */
export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** Answers calls as a test declares it. */
export interface ToolAnswers {
  /** Rejects with an error that names the tool if there is no answer for it. */
  answer(call: ToolCall): Promise<CallToolResult>;
}

/** Answers by name. `onUnanswered` is called with the error of a call that has no answer. */
export function answerTools(
  tools: NonNullable<MountOptions["tools"]>,
  onUnanswered: (error: MountError) => void,
): ToolAnswers {
  const used = new Map<string, number>();
  return {
    answer: async (call) => {
      const { name } = call;
      const answer: ToolAnswer | undefined = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (answer === undefined) {
        const error = unanswered(name);
        onUnanswered(error);
        throw new RpcError(INVALID_REQUEST, error.message);
      }
      if (typeof answer === "function") return answer(call.arguments);
      if (!Array.isArray(answer)) return answer as CallToolResult;
      const at = used.get(name) ?? 0;
      used.set(name, at + 1);
      // The last one stays, as in a scenario.
      return answer[Math.min(at, answer.length - 1)];
    },
  };
}

/** The error of a call that a test has no answer for. */
export function unanswered(name: string): MountError {
  return new MountError(
    "no-answer",
    `The view called the tool "${name}", which has no answer in this test. Add it: tools: { ${JSON.stringify(name)}: … }.`,
  );
}
