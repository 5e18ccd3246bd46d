// The program of a worker thread that compiles strangers' schemas and checks values against them. It may be
// terminated at any moment: nothing here is state that others need.

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

/** What a worker reports. */
export type SchemaReport =
  | { kind: "ready" }
  | { kind: "compiled" }
  | { kind: "checked"; mistake?: string }
  /** The schema or the value was too much for the stack. */
  | { kind: "failed" };

type Compiled = ValidateFunction | "unchecked";

const LONGEST_PATTERN = 500;
const LOWER_PRIORITY = 10;
/** Characters of the schemas that stay compiled. */
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
// The first schema makes Ajv compile its own: that isn't to count against a stranger's deadline.
mistakeOf(ajv.compile({ type: "object", properties: { a: { pattern: "^a$" } } }), { a: "b" });
report({ kind: "ready" });

function report(message: SchemaReport): void {
  parentPort?.postMessage(message);
}

function compile(text: string): Compiled {
  const known = compiled.get(text);
  if (known) return known;
  // Ajv keeps every schema it has seen, so both are forgotten together.
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

/** A schema that is invalid, or refers elsewhere, isn't applied: the server checks its arguments itself. */
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
    // A property named `constructor` is one only if the value has its own.
    ownProperties: true,
    code: { regExp },
  });
}

/** Two tools may carry the same `$id`, which Ajv would refuse. */
function withoutName(schema: Record<string, unknown>): object {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}

/** A pattern that runs in linear time (G145); one that can't, such as a look-ahead, matches every text. */
function boundedPattern(pattern: string): RegExp {
  const linear = pattern.length <= LONGEST_PATTERN ? compileLinear(pattern) : undefined;
  // Ajv tells patterns apart by their text.
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

/** Lets the event loop have the processor first: on a small machine a slow schema would delay every tenant. */
function yieldProcessor(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, LOWER_PRIORITY);
  } catch {
    // Only Linux has priorities for threads; elsewhere the deadline alone bounds it.
  }
}
