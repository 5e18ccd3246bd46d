// Takes secrets out of what is recorded: by the name of a key, by the tool's schema, and by how a text looks.
// It errs towards too much. Its work is bounded, whatever it is given: so many values, so deep, so long.

import { quote, toAscii } from "./ascii.ts";
import { isSecretKey } from "./secret-key.ts";
import { SchemaMarks } from "./secret-schema.ts";
import { scrubText } from "./secret-text.ts";

const REDACTED = '"[redacted]"';
const MOST_VALUES = 2_000;
const MOST_CHARACTERS = 16 * 1024;
const DEEPEST = 32;
const LONGEST_EDGE = 256;
/** Keys that were looked at; those of an attacker need not be remembered. */
const MOST_KEYS = 4_096;
const LONGEST_KEY = 64;

/** What is left of a value. */
export interface Redacted {
  /** As JSON in printable ASCII. */
  readonly json: string;
  /** How many values were taken out, wholly or in part. */
  readonly redacted: number;
  /** Whether it was larger than what is kept. */
  readonly cut: boolean;
}

/** Redacts a value that was parsed from JSON. */
export function redact(value: unknown, schema?: unknown): Redacted {
  const marks = SchemaMarks.of(schema);
  // What the walk would write, at a third of the price: most values hold nothing to take out.
  if (!marks && new Look().isHarmless(value, 0)) {
    return { json: toAscii(JSON.stringify(value) ?? "null"), redacted: 0, cut: false };
  }
  const walk = new Walk();
  const json = walk.value(value, marks, 0);
  return { json, redacted: walk.redacted, cut: walk.cut };
}

/** Redacts a text by how it looks. */
export function scrub(text: string): string {
  return scrubText(text);
}

/** Looks whether a value is kept as it is: small, flat, and without a secret. */
class Look {
  #values = MOST_VALUES;
  #characters = MOST_CHARACTERS;

  isHarmless(value: unknown, depth: number): boolean {
    this.#values -= 1;
    if (typeof value === "string") return this.#hasRoom(value) && scrubText(value) === value;
    if (typeof value === "number" || typeof value === "boolean" || value === null) return true;
    // Anything but JSON might be written in a way of its own.
    if (typeof value !== "object" || "toJSON" in value) return false;
    if (depth === DEEPEST || this.#values <= 0) return false;
    if (Array.isArray(value)) return value.every((item) => this.#isMember(item, depth));
    for (const key in value) {
      if (!this.#hasRoom(key) || !isHarmlessKey(key)) return false;
      if (!this.#isMember((value as Record<string, unknown>)[key], depth)) return false;
    }
    return true;
  }

  #isMember(value: unknown, depth: number): boolean {
    return this.#values > 0 && this.#characters > 0 && this.isHarmless(value, depth + 1);
  }

  #hasRoom(text: string): boolean {
    this.#characters -= text.length;
    return this.#characters >= 0;
  }
}

const harmlessKeys = new Set<string>();

function isHarmlessKey(key: string): boolean {
  if (harmlessKeys.has(key)) return true;
  const isHarmless = !isSecretKey(key) && scrubText(key) === key;
  if (isHarmless && key.length <= LONGEST_KEY && harmlessKeys.size < MOST_KEYS) {
    harmlessKeys.add(key);
  }
  return isHarmless;
}

// Writes JSON on its way: an object of what is kept, to be written afterwards, would cost as much again.
class Walk {
  redacted = 0;
  cut = false;
  #values = MOST_VALUES;
  #characters = MOST_CHARACTERS;

  value(value: unknown, marks: SchemaMarks | undefined, depth: number): string {
    this.#values -= 1;
    if (marks?.isSecret) return this.#out(value);
    if (typeof value === "string") return quote(this.#text(value));
    if (typeof value !== "object" || value === null) return scalar(value);
    if (depth === DEEPEST || this.#values <= 0) return this.#left(undefined);
    return Array.isArray(value)
      ? this.#items(value, marks, depth)
      : this.#members(value as Record<string, unknown>, marks, depth);
  }

  #items(items: unknown[], marks: SchemaMarks | undefined, depth: number): string {
    let json = "";
    for (let place = 0; place < items.length; place++) {
      if (place > 0) json += ",";
      if (this.#isSpent) return `[${json}${this.#left(items.length - place)}]`;
      json += this.value(items[place], marks?.item(place), depth + 1);
    }
    return `[${json}]`;
  }

  #members(
    members: Record<string, unknown>,
    marks: SchemaMarks | undefined,
    depth: number,
  ): string {
    let json = "";
    let place = 0;
    for (const key in members) {
      const value = members[key];
      if (!Object.hasOwn(members, key) || value === undefined) continue;
      if (place > 0) json += ",";
      if (this.#isSpent) return `{${json}"[cut]":${this.#left(undefined)}}`;
      const name = this.#text(key);
      // A key that is itself a secret leaves a number behind, lest two of them become one.
      json += `${quote(name === key ? key : `${name} ${place}`)}:`;
      json += isSecretKey(key)
        ? this.#out(value)
        : this.value(value, marks?.property(key), depth + 1);
      place += 1;
    }
    return `{${json}}`;
  }

  get #isSpent(): boolean {
    return this.#values <= 0 || this.#characters <= 0;
  }

  // Whether there is one is no secret.
  #out(value: unknown): string {
    if (value === null || typeof value === "boolean") return String(value);
    this.redacted += 1;
    return REDACTED;
  }

  #text(text: string): string {
    const room = Math.max(this.#characters, 0);
    this.#characters -= text.length;
    const isCut = text.length > room;
    if (isCut) this.cut = true;
    const kept = isCut ? text.slice(0, room) : text;
    const scrubbed = scrubText(kept);
    if (scrubbed !== kept) this.redacted += 1;
    return isCut ? `${withoutEdge(scrubbed)}[cut: ${text.length - room} more]` : scrubbed;
  }

  #left(count: number | undefined): string {
    this.cut = true;
    return count === undefined ? '"[cut]"' : `"[cut: ${count} more]"`;
  }
}

// Only JSON has a place in a line of JSON.
function scalar(value: unknown): string {
  const isJson = typeof value === "boolean" || Number.isFinite(value);
  return isJson ? String(value) : "null";
}

// A secret that the cut went through is too short to look like one.
function withoutEdge(text: string): string {
  let end = text.length;
  while (end > 0 && text.length - end < LONGEST_EDGE && text[end - 1] !== " ") end -= 1;
  return text.slice(0, end);
}
