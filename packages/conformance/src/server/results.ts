// The results of UI tools for a client that shows views.

import { asRecord, brief, isRecord } from "../json.ts";
import { absent, type Finding, judge, type Scenario } from "../scenario.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { callTools, type ToolCall, textOf } from "./tool-calls.ts";

// The result of a program that inserts a value instead of its text.
const EMPTY_WORDS = /^(undefined|null|\[object \w+\]|NaN|\{\}|\[\])$/;

export const RESULT_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "calls every UI tool and reads its result",
    rules: ["SRV-13", "SRV-19"],
    run: async (target) => {
      const found: { calls: ToolCall[]; refused: string[] } = { calls: [], refused: [] };
      for (const { session, uiTools } of await target.surveys()) {
        const { calls, refused } = await callTools(session, uiTools, target);
        found.calls.push(...calls);
        found.refused.push(...refused);
      }
      const results = found.calls.filter(({ result }) => result);
      if (results.length === 0) return notCalled(found);
      const left = [...new Set([...found.refused, ...problems(found.calls)])];
      const rest = left.length > 0 ? ` Not judged: ${left.join("; ")}.` : "";
      return [
        judge("SRV-13", faults(results, contentFaults), `Every result has content.${rest}`),
        judge("SRV-19", faults(results, dataFaults), `Text and data are separate.${rest}`),
      ];
    },
  },
];

function notCalled({ calls, refused }: { calls: ToolCall[]; refused: string[] }): Finding[] {
  const reasons = [...new Set([...refused, ...problems(calls)])];
  const note = reasons.length > 0 ? `No result: ${reasons.join("; ")}.` : "There is no UI tool.";
  return [absent("SRV-13", note), absent("SRV-19", note)];
}

function problems(calls: readonly ToolCall[]): string[] {
  return calls.flatMap(({ problem }) => problem ?? []);
}

function faults(calls: readonly ToolCall[], faultsOf: (call: ToolCall) => string[]): string[] {
  const all = calls.flatMap((call) => faultsOf(call).map((fault) => `${call.name}: ${fault}`));
  return [...new Set(all)];
}

function contentFaults({ result = {} }: ToolCall): string[] {
  const { content } = result;
  if (!Array.isArray(content)) return [`content is ${brief(content)}, not a list`];
  if (content.length === 0) return ["content is empty: a model without the view gets nothing"];
  if (content.some((block) => isRecord(block) && block.type !== "text")) return [];
  const text = textOf(result);
  if (text === "") return ["content has no text"];
  return EMPTY_WORDS.test(text) ? [`content only has ${brief(text)}`] : [];
}

/** Data belongs in `structuredContent`: in the text it costs tokens, and the view has to parse it. */
function dataFaults({ result = {} }: ToolCall): string[] {
  const { structuredContent } = result;
  if (structuredContent !== undefined) {
    return isRecord(structuredContent) || Array.isArray(structuredContent)
      ? []
      : [`structuredContent is ${brief(structuredContent)}`];
  }
  const text = textOf(result);
  const data = parse(text);
  const isData = Array.isArray(data) || Object.keys(asRecord(data)).length > 0;
  return isData ? [`its data is JSON in the text (${text.length} characters) only`] : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
