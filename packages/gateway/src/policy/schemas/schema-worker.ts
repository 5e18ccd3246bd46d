// A worker thread that compiles third-party schemas and checks values against them. It may be terminated at
// any moment, so it holds no state that others need.

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";

/** A value and its schema, both as JSON. */
export interface SchemaRequest {
  schema: string;
  value: string;
}

/** The report of a worker. */
export type SchemaReport =
  | { kind: "ready" }
  | { kind: "compiled" }
  | { kind: "checked"; mistake?: string }
  /** The schema or the value exceeded the stack. */
  | { kind: "failed" };

type Compiled = ValidateFunction | "unchecked";

const LONGEST_PATTERN = 500;
const LOWER_PRIORITY = 10;
/** Total characters of the schemas that stay compiled. */
const MOST_CHARACTERS = 2 ** 20;

const compiled = new Map<string, Compiled>();
let ajv = createAjv();
let characters = 0;

yieldProcessor();
parentPort?.on("message", ({ schema, value }: SchemaRequest) => {
  try {
    const validate = compile(schema);
    report({ kind: "compiled" });
    report({ kind: "checked", ...mistakeOf(validate, JSON.parse(value)) });
  } catch {
    report({ kind: "failed" });
  }
});
// Ajv compiles its meta-schema with the first schema. Do that here, so that it doesn't count against a
// deadline.
mistakeOf(ajv.compile({ type: "object", properties: { a: { pattern: "^a$" } } }), { a: "b" });
report({ kind: "ready" });

function report(message: SchemaReport): void {
  parentPort?.postMessage(message);
}

function compile(text: string): Compiled {
  const known = compiled.get(text);
  if (known) return known;
  // Ajv keeps every schema it has seen, so both caches are cleared together.
  if (characters + text.length > MOST_CHARACTERS) {
    compiled.clear();
    characters = 0;
    ajv = createAjv();
  }
  const made = compileText(text);
  compiled.set(text, made);
  characters += text.length;
  return made;
}

/** A schema that is invalid or has external references isn't applied; the server checks its arguments itself. */
function compileText(text: string): Compiled {
  try {
    return ajv.compile(withoutName(JSON.parse(text)));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return "unchecked";
  }
}

function mistakeOf(validate: Compiled, value: unknown): { mistake?: string } {
  if (validate === "unchecked" || validate(value)) return {};
  const [first] = validate.errors ?? [];
  const where = `${first?.instancePath ?? ""}`.slice(0, 100) || "the object";
  return { mistake: `${where} ${first?.message ?? "is wrong"}`.slice(0, 300) };
}

function createAjv(): Ajv2020 {
  const regExp = Object.assign(boundedPattern, { code: "boundedPattern" });
  return new Ajv2020({
    strict: false,
    validateFormats: false,
    logger: false,
    // A property named `constructor` only counts if the value itself has it.
    ownProperties: true,
    code: { regExp },
  });
}

/** Removes `$id`, because Ajv rejects two schemas with the same one. */
function withoutName(schema: Record<string, unknown>): object {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}

/**
 * Compiles a pattern that runs in linear time (G145). A pattern that can't, such as a look-ahead, matches
 * everything.
 */
function boundedPattern(pattern: string): RegExp {
  const linear = pattern.length <= LONGEST_PATTERN ? compileLinear(pattern) : undefined;
  // Ajv identifies patterns by their text.
  return {
    test: (text: string) => linear?.test(text) ?? true,
    toString: () => `/${pattern}/`,
  } as RegExp;
}

function compileLinear(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

/** Lowers the thread's priority: on a small machine a slow schema would delay every tenant. */
function yieldProcessor(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, LOWER_PRIORITY);
  } catch {
    // Only Linux has thread priorities. Elsewhere the deadline is the only limit.
  }
}
