// Checks the results of UI tools: a host without views, and every model, only has the text.

import { shellQuoted } from "@vitrine/protocol/printable";
import { type Finding, finding } from "../finding.ts";
import { asRecord, brief, isRecord, type Json, oneLine } from "../json.ts";
import { type ToolCall, textOf } from "../survey/tool-calls.ts";

// Claude truncates there.
const LONGEST = 150_000;
const SEE_ABOVE =
  /^(?:(?:please )?(?:see|look at|check|view|open|refer to|displayed|shown|showing|rendered|here(?:'s| is)|done|ok(?:ay)?|success(?:fully)?|opened|opening|the (?:view|widget|ui|app|chart|dashboard|interface)\b)[^.\n]*\b(?:above|below|view|widget|ui|app|interface|dashboard|chart|panel|iframe|screen)\b[^\n]*|done\.?|ok\.?|success\.?|rendered\.?|undefined|null|\[object \w+\]|NaN|\{\}|\[\])$/i;

/** Problems in the results of a server's UI tools. */
export function lintResults(calls: readonly ToolCall[]): Finding[] {
  return calls.flatMap((call) => [...faultsOf(call)]);
}

function* faultsOf(call: ToolCall): Iterable<Finding> {
  const { name, result, problem, isGiven } = call;
  const place = { tool: name };
  const retry = `pass arguments that it accepts: --call ${shellQuoted(`${name}={"…":"…"}`)}`;
  if (problem !== undefined) {
    yield finding("call-failed", isGiven ? "broken" : "note", place, {
      cause: `The tool "${name}" could not be called with ${brief(call.arguments)}: ${problem}.`,
      remedy: isGiven
        ? "make the tool return a result, and report failures with isError and a text"
        : retry,
    });
  }
  if (!result) return;
  if (result.isError === true) {
    yield finding("result-error", isGiven ? "broken" : "poor", place, {
      cause: `The tool "${name}" answers ${brief(call.arguments)} with isError and "${oneLine(textOf(result), 120)}"; some hosts then show no view at all.`,
      remedy: isGiven
        ? "return a result that the view can show; keep isError for calls that failed"
        : `${retry}; if these arguments are right, return a result without isError`,
    });
    return;
  }
  yield* fallbackFaults(name, result);
  const size = JSON.stringify(result).length;
  if (size > LONGEST) {
    yield finding("result-large", "poor", place, {
      cause: `The result of "${name}" has ${size.toLocaleString("en")} characters; Claude passes on about 150,000.`,
      remedy:
        "send a page of it, and let the view fetch the rest: app.callServerTool({ name, arguments: { cursor } })",
    });
  }
}

function* fallbackFaults(name: string, result: Json): Iterable<Finding> {
  const place = { tool: name };
  const { content, structuredContent } = result;
  const remedy = `return text with the data: content: [{ type: "text", text: ${exampleText(structuredContent)} }] (textFallback(data) of @vitrine/server creates it)`;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const text = textOf(result);
  if (
    blocks.length === 0 ||
    (text === "" && blocks.every((one) => asRecord(one).type === "text"))
  ) {
    yield finding("no-fallback", "poor", place, {
      cause: `The result of "${name}" has no text: users without the view, and the model in every host, get nothing.`,
      remedy,
    });
  } else if (SEE_ABOVE.test(text)) {
    yield finding("no-fallback", "poor", place, {
      cause: `The text of "${name}" is only "${oneLine(text, 80)}": that is useless without the view, and the model can't continue with it.`,
      remedy,
    });
  }
  if (structuredContent === undefined && isData(text)) {
    yield finding("data-in-text", "note", place, {
      cause: `The data of "${name}" is JSON in the text only (${text.length.toLocaleString("en")} characters), which the view has to parse and which costs the model tokens.`,
      remedy: "return it as data: structuredContent: { … }, and a sentence in content",
    });
  }
}

function isData(text: string): boolean {
  try {
    const data: unknown = JSON.parse(text);
    return Array.isArray(data) || Object.keys(asRecord(data)).length > 0;
  } catch {
    return false;
  }
}

function exampleText(data: unknown): string {
  const [key, value] = Object.entries(isRecord(data) ? data : {})[0] ?? [];
  return key === undefined || typeof value === "object"
    ? '"what the view shows, in a sentence"'
    : JSON.stringify(oneLine(`${key}: ${value}, …`, 60));
}
