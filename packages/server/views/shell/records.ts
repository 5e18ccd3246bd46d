// Data of a tool is anybody's: keys are read as own properties alone, so that neither `__proto__` nor
// what a prototype holds is ever taken for data.

import type { CallToolResult } from "@vitrine/view";

export { labelOf as humanise } from "../../src/key-label.ts";

export type Fields = Record<string, unknown>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value under a key, if the object itself has it. */
export function own(record: unknown, key: string): unknown {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Whether an object holds nothing: `{}`, `{ rows: [] }`, `{ root: null }`. */
export function isBlank(data: unknown): boolean {
  if (!isRecord(data)) return false;
  return Object.values(data).every(
    (value) =>
      value === null ||
      value === "" ||
      (typeof value === "object" && Object.keys(value).length === 0),
  );
}

/** A string, or the text of a number; nothing for all else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** A finite number, also where it comes as text. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** All text of a result. */
export function textOf(result: CallToolResult | undefined): string {
  const texts = (result?.content ?? []).flatMap((block) =>
    block.type === "text" && typeof block.text === "string" ? block.text : [],
  );
  return texts.join("\n\n");
}

/** The data of a result: its structured content, or JSON that a server put into text. */
export function dataOf(result: CallToolResult | undefined): unknown {
  if (result?.structuredContent !== undefined) return result.structuredContent;
  for (const block of result?.content ?? []) {
    if (block.type !== "text" || !/^\s*[[{]/.test(block.text ?? "")) continue;
    try {
      return JSON.parse(block.text);
    } catch {
      // Text that only begins like JSON.
    }
  }
  return undefined;
}
