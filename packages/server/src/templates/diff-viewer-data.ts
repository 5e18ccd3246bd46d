import { firstText, isRecord } from "./plain-data.ts";

/** A stretch of lines, as jsdiff writes it. */
export interface DiffChange {
  value: string;
  kind: "same" | "added" | "removed";
  /** Number of its first line; by default it goes on from the stretch before. */
  lineNumber: number | undefined;
}

/** What a diff-viewer reads of a result. */
export interface DiffData {
  left: string;
  right: string;
  /** A comparison the Server made; without one the View makes its own. */
  changes: DiffChange[] | undefined;
  leftTitle: string | undefined;
  rightTitle: string | undefined;
  language: string | undefined;
}

/** Reads `{left, right, changes?}` or `{original, modified}`; undefined when it has neither side. */
export function readDiff(data: unknown): DiffData | undefined {
  if (!isRecord(data)) return undefined;
  const left = sideOf(data, ["left", "original"]);
  const right = sideOf(data, ["right", "modified"]);
  const changes = readChanges(data.changes);
  if (left === undefined && right === undefined && !changes) return undefined;
  return {
    left: left ?? joinChanges(changes, "added"),
    right: right ?? joinChanges(changes, "removed"),
    changes,
    leftTitle: firstText(data, ["leftTitle", "originalTitle"]),
    rightTitle: firstText(data, ["rightTitle", "modifiedTitle"]),
    language: firstText(data, ["language"]),
  };
}

function sideOf(data: Record<string, unknown>, keys: string[]): string | undefined {
  for (const key of keys) {
    const side = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof side === "string") return side;
    // A list of lines is how some Servers send a file.
    if (Array.isArray(side) && side.every((line) => typeof line === "string")) {
      return side.join("\n");
    }
  }
  return undefined;
}

function readChanges(list: unknown): DiffChange[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const changes = list.filter(isRecord).flatMap(({ value, added, removed, lineNumber }) => {
    if (typeof value !== "string" || value === "") return [];
    const kind = added === true ? "added" : removed === true ? "removed" : "same";
    const first = Number.isSafeInteger(lineNumber) ? (lineNumber as number) : undefined;
    return [{ value, kind, lineNumber: first } as const];
  });
  return changes.length > 0 ? changes : undefined;
}

function joinChanges(changes: DiffChange[] | undefined, without: DiffChange["kind"]): string {
  return (changes ?? [])
    .filter(({ kind }) => kind !== without)
    .map(({ value }) => (value.endsWith("\n") ? value : `${value}\n`))
    .join("");
}

/** Lines without their ends; a last line that ends is not followed by an empty one. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
