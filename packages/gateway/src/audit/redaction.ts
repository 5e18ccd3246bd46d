// Removes secrets from recorded values: by the name of a key, by the tool's schema, and by the form of a
// text. If in doubt, it removes. Its work is bounded by number, depth and length of values.

import { isLargeNumber } from "../json-rpc/parse.ts";
import { isSecretKey } from "./secret-key.ts";
import { SchemaMarks } from "./secret-schema.ts";
import { scrub } from "./secret-text.ts";

const REDACTED = "[redacted]";
const MOST_VALUES = 2_000;
const MOST_CHARACTERS = 16 * 1024;
const DEEPEST = 32;
const LONGEST_EDGE = 256;
/** A redacted value. */
export interface Redacted {
  readonly value: unknown;
  /** How many values were removed, completely or in part. */
  readonly redacted: number;
  /** Whether the value was larger than the limit. */
  readonly cut: boolean;
}

/** Redacts a value that was parsed from JSON. */
export function redact(value: unknown, schema?: unknown): Redacted {
  const marks = SchemaMarks.of(schema);
  const walk = new Walk();
  return { value: walk.value(value, marks, 0), redacted: walk.redacted, cut: walk.cut };
}

class Walk {
  redacted = 0;
  cut = false;
  #values = MOST_VALUES;
  #characters = MOST_CHARACTERS;

  value(value: unknown, marks: SchemaMarks | undefined, depth: number): unknown {
    this.#values -= 1;
    if (marks?.isSecret) return this.#out(value);
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) return scalar(value);
    if (isLargeNumber(value)) return value;
    if (depth === DEEPEST || this.#values <= 0) return this.#left(undefined);
    return Array.isArray(value)
      ? this.#items(value, marks, depth)
      : this.#members(value as Record<string, unknown>, marks, depth);
  }

  #items(items: unknown[], marks: SchemaMarks | undefined, depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const [at, item] of items.entries()) {
      if (this.#isSpent) return [...kept, this.#left(items.length - at)];
      kept.push(this.value(item, marks?.item(at), depth + 1));
    }
    return kept;
  }

  #members(
    members: Record<string, unknown>,
    marks: SchemaMarks | undefined,
    depth: number,
  ): object {
    const kept: [string, unknown][] = [];
    for (const [key, value] of Object.entries(members)) {
      if (value === undefined) continue;
      if (this.#isSpent) {
        kept.push(["[cut]", this.#left(undefined)]);
        break;
      }
      const name = this.#text(key);
      const next = isSecretKey(key)
        ? this.#out(value)
        : this.value(value, marks?.property(key), depth + 1);
      // A key that is itself a secret gets a number, so that two of them don't become one.
      kept.push([name === key ? key : `${name} ${kept.length}`, next]);
    }
    return Object.fromEntries(kept);
  }

  get #isSpent(): boolean {
    return this.#values <= 0 || this.#characters <= 0;
  }

  // The presence of a value isn't a secret.
  #out(value: unknown): unknown {
    if (value === null || typeof value === "boolean") return value;
    this.redacted += 1;
    return REDACTED;
  }

  #text(text: string): string {
    const limit = Math.max(this.#characters, 0);
    this.#characters -= text.length;
    const isCut = text.length > limit;
    if (isCut) this.cut = true;
    const kept = isCut ? text.slice(0, limit) : text;
    const scrubbed = scrub(kept);
    if (scrubbed !== kept) this.redacted += 1;
    return isCut ? `${withoutEdge(scrubbed)}[cut: ${text.length - limit} more]` : scrubbed;
  }

  #left(count: number | undefined): string {
    this.cut = true;
    return count === undefined ? "[cut]" : `[cut: ${count} more]`;
  }
}

// Anything else can't be part of a line of JSON.
function scalar(value: unknown): unknown {
  const isJson = typeof value === "boolean" || Number.isFinite(value);
  return isJson ? value : null;
}

// A secret that was cut may be too short to be detected.
function withoutEdge(text: string): string {
  let end = text.length;
  while (end > 0 && text.length - end < LONGEST_EDGE && text[end - 1] !== " ") end -= 1;
  return text.slice(0, end);
}
