// The three audiences of a result (SRV-19): text for the model, data for the View, and what is for
// neither. Every result has meaningful text (SRV-12, SRV-13), also for clients that don't show Views.

import type { CallToolResult, ContentBlock } from "@vitrine/protocol/apps";
import { isRecord, type JsonSchema } from "./json-schema.ts";
import { textFallback } from "./text-fallback.ts";
import type { ServerWarningCode, Warn } from "./warnings.ts";

/** What a handler may return instead of a `CallToolResult`: one field for each audience. */
export interface AppResult<Data = unknown> {
  /** For the model: becomes `content`. Left out, it is made of the data. */
  text?: string | ContentBlock[] | undefined;
  /** For the View: becomes `structuredContent`. */
  data?: Data | undefined;
  /** For the View's code alone, never for the model: becomes `_meta` of the result. */
  private?: Record<string, unknown> | undefined;
  /** The same under its official name, for keys that hosts define. */
  _meta?: Record<string, unknown> | undefined;
  isError?: boolean | undefined;
}

/** A result that asks the client for something first (2026-07-28); it passes as it is. */
export interface InputRequired {
  resultType: "input_required";
  [key: string]: unknown;
}

/** Describes the tool of a result. */
export interface ResultOptions {
  tool: string;
  title?: string | undefined;
  /** JSON Schema of the data; asked for only where text has to be made. */
  schema(): JsonSchema | undefined;
  /** Makes text of the data, in place of the general way. */
  describe?: ((data: unknown) => string) | undefined;
  warn: Warn;
}

/** Whether a result asks for more. */
export function isInputRequired(result: unknown): result is InputRequired {
  return isRecord(result) && result.resultType === "input_required";
}

/** A `CallToolResult` of what a handler returned in either form. */
export function toCallToolResult(result: AppResult | CallToolResult): CallToolResult {
  if (isCallToolResult(result)) return result;
  const { text, data, private: hidden, _meta, isError } = result;
  return {
    content: typeof text === "string" ? [{ type: "text", text }] : (text ?? []),
    ...(data !== undefined && { structuredContent: data }),
    ...((hidden || _meta) && { _meta: { ...hidden, ..._meta } }),
    ...(isError && { isError: true }),
  };
}

/**
 * The result with an id of the view that will show it, unless its author chose one. Under this key of
 * the official examples a View finds its state again where the Host keeps results but no state.
 */
export function withViewUuid(result: CallToolResult): CallToolResult {
  if (result._meta?.viewUUID !== undefined) return result;
  return { ...result, _meta: { ...result._meta, viewUUID: crypto.randomUUID() } };
}

function isCallToolResult(result: AppResult | CallToolResult): result is CallToolResult {
  return "content" in result || "structuredContent" in result;
}

/** The result with meaningful text; warns of a result that is useless without its View. */
export function completeResult(result: CallToolResult, options: ResultOptions): CallToolResult {
  const { structuredContent: data, isError } = result;
  if (!isBlank(result.content)) {
    if (!isError) warnIfUseless(result.content, data, options);
    return result;
  }
  const text = isError ? undefined : describeData(data, options);
  const { tool, warn } = options;
  if (!text) {
    const message = `"${tool}" returned neither text nor data, so a model or a host without Views learns nothing (SRV-13). Return text, or data with what it found.`;
    warn({ code: "result-empty", about: tool, message });
  }
  const fallback = isError
    ? `${tool} failed and gave no reason.`
    : `${options.title ?? tool}: done. There is nothing to report.`;
  return { ...result, content: [{ type: "text", text: text || fallback }] };
}

function describeData(data: unknown, { title, schema, describe }: ResultOptions): string {
  if (data === undefined || data === null) return "";
  try {
    const own = describe?.(data)?.trim();
    if (own) return own;
  } catch {
    // Data that somebody's words were not made for still has a text.
  }
  return textFallback(data, { title, schema: schema() });
}

function isBlank(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((block: ContentBlock) => block.type === "text" && !block.text?.trim());
}

const PLACEHOLDER =
  /^(?:ok(?:ay)?|done|success(?:ful(?:ly)?)?|rendered|displayed|shown|loaded|here (?:you go|it is)|(?:see|open|look at|showing|displaying|rendering|opened|rendered)\b.{0,40}\b(?:ui|view|widget|app|component|panel|above|below))\W*$/i;
const shortText = 120;
const mostLeaves = 200;

/** SRV-12: somebody whose host shows no Views reads the text and nothing else. */
function warnIfUseless(
  content: ContentBlock[],
  data: unknown,
  { tool, warn }: ResultOptions,
): void {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  // An image or a link may well say it all.
  if (texts.length < content.length) return;
  const reason = uselessness(texts.join("\n").trim(), data);
  if (!reason) return;
  const message = `The text of "${tool}" ${reason}, so it is useless where its View is not shown (SRV-12). Leave text out to have it made of the data, or say in it what was found.`;
  warn({ code: "result-useless" satisfies ServerWarningCode, about: tool, message });
}

function uselessness(text: string, data: unknown): string | undefined {
  if (text.includes("[object Object]")) return 'has "[object Object]" in it';
  if (data === undefined) return undefined;
  if (PLACEHOLDER.test(text)) return "only points at the View";
  const values = leaves(data);
  const lower = text.toLowerCase();
  const isSilent = values.length > 0 && !values.some((value) => lower.includes(value));
  return isSilent && text.length < shortText ? "names nothing that is in the data" : undefined;
}

/** The values that a text about the data would name. */
function leaves(data: unknown): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [data];
  for (let at = 0; at < waiting.length && found.length < mostLeaves && at < mostLeaves * 10; at++) {
    const value = waiting[at];
    if (typeof value === "string" && value.trim().length > 1)
      found.push(value.trim().toLowerCase());
    else if (typeof value === "number") found.push(String(value));
    else if (Array.isArray(value)) waiting.push(...value.slice(0, mostLeaves), value.length);
    else if (isRecord(value)) waiting.push(...Object.values(value).slice(0, mostLeaves));
  }
  return found;
}
