// What changed between the approved definition of a tool and the one its server sends now, as a list of
// fields that a person can read.

/** A field that differs; one side is absent if the field is new or was removed. */
export interface FieldChange {
  /** `inputSchema.properties.amount.maximum` */
  field: string;
  before?: string;
  after?: string;
}

/** A run of words on both sides, or on one. */
export interface WordRun {
  text: string;
  kind: "same" | "added" | "removed";
}

/** The fields that differ, and whether these are all of them. */
export interface Comparison {
  changes: FieldChange[];
  isComplete: boolean;
}

const MOST_FIELDS = 20_000;
const MOST_CHANGES = 200;
const DEEPEST = 24;

// A model reads these, so a person should read them first.
const FIRST = ["name", "title", "description"];

/** Compares two definitions, texts first. A part that isn't compared is reported. */
export function compareDefinitions(before: string, after: string): Comparison {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const names = [...new Set([...FIRST, ...now.fields.keys(), ...old.fields.keys()])];
  const changes = names
    .filter((name) => old.fields.get(name) !== now.fields.get(name))
    .map((field) => {
      const [was, is] = [old.fields.get(field), now.fields.get(field)];
      return {
        field,
        ...(was !== undefined && { before: was }),
        ...(is !== undefined && { after: is }),
      };
    });
  return {
    changes: changes.slice(0, MOST_CHANGES),
    isComplete: old.isComplete && now.isComplete && changes.length <= MOST_CHANGES,
  };
}

interface Fields {
  fields: Map<string, string>;
  isComplete: boolean;
}

/** Every leaf of a definition by its path. */
function fieldsOf(definition: string): Fields {
  const found: Fields = { fields: new Map(), isComplete: true };
  try {
    collect(JSON.parse(definition), "", 0, found);
    return found;
  } catch {
    // A very long definition arrives cut off.
    return { fields: new Map([["definition", definition]]), isComplete: false };
  }
}

function collect(value: unknown, path: string, depth: number, found: Fields): void {
  if (value === undefined) return;
  if (found.fields.size >= MOST_FIELDS || depth > DEEPEST) {
    found.isComplete = false;
    return;
  }
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0 || isSimpleList(value)) {
    if (path !== "") found.fields.set(path, textOf(value));
    return;
  }
  for (const [name, member] of entries) {
    collect(member, path ? `${path}.${name}` : name, depth + 1, found);
  }
}

function isSimpleList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 0) return value.map(textOf).join(", ");
  return JSON.stringify(value) ?? "";
}

// The table has a cell for each pair of words, so long texts are compared as a whole.
const MOST_WORDS = 600;

/** The words that were added and removed between two texts. */
export function wordRuns(before: string, after: string): WordRun[] {
  const old = wordsOf(before);
  const now = wordsOf(after);
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) {
    return [
      { text: before, kind: "removed" },
      { text: after, kind: "added" },
    ];
  }
  const lengths = commonLengths(old, now);
  const runs: WordRun[] = [];
  const push = (kind: WordRun["kind"], text: string | undefined): void => {
    if (text === undefined) return;
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += text;
    else runs.push({ kind, text });
  };
  let [i, j] = [0, 0];
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      push("same", old[i]);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      push("removed", old[i]);
      i += 1;
    } else {
      push("added", now[j]);
      j += 1;
    }
  }
  return runs;
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The length of the longest common part of every pair of endings. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const [row, next] = [rows[i] as Uint16Array, rows[i + 1] as Uint16Array];
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}
