// Arguments against a schema. Both come from parties that need not mean well: a schema may be huge, refer
// to the network, or hold a pattern that never ends. What cannot be checked safely is not checked, since
// the server has the last word anyway; it is never a reason to let the gateway hang.

import { createHash } from "node:crypto";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";

/** Says what is wrong with a value, or nothing. */
export type SchemaCheck = (schema: unknown, value: unknown) => string | undefined;

type Compiled = ValidateFunction | "unchecked";

const LARGEST_SCHEMA = 64 * 1024;
const LONGEST_PATTERN = 500;
const REMEMBERED = 1000;

/** Makes a check that keeps what it compiled. */
export function createSchemaCheck(): SchemaCheck {
  // By identity: definitions live as long as the catalogue they came in.
  const compiled = new WeakMap<object, Compiled>();
  // By text too: a list that is read again, every minute say, has the same definitions as before.
  const known = new Map<string, Compiled>();
  let ajv = createAjv();

  const compile = (schema: object): Compiled => {
    const text = textOf(schema);
    if (text === undefined) return "unchecked";
    const hash = createHash("sha256").update(text).digest("base64");
    const before = known.get(hash);
    if (before) return before;
    // Ajv keeps every schema it has seen; a server that changes its tools for ever must not fill us.
    if (known.size >= REMEMBERED) {
      known.clear();
      ajv = createAjv();
    }
    const made = compileText(text, ajv);
    known.set(hash, made);
    return made;
  };

  return (schema, value) => {
    if (typeof schema !== "object" || schema === null) return undefined;
    let validate = compiled.get(schema);
    if (!validate) {
      validate = compile(schema);
      compiled.set(schema, validate);
    }
    if (validate === "unchecked" || validate(value)) return undefined;
    const [first] = validate.errors ?? [];
    const where = `${first?.instancePath ?? ""}`.slice(0, 100) || "the object";
    return `${where} ${first?.message ?? "is wrong"}`.slice(0, 300);
  };
}

/** What can be compiled: nothing huge, and nothing that refers to the network. */
function textOf(schema: object): string | undefined {
  try {
    const text = JSON.stringify(schema);
    const isFit = text.length <= LARGEST_SCHEMA && !/"\$(dynamic)?ref":"(?!#)/i.test(text);
    return isFit ? text : undefined;
  } catch {
    // Too deep.
    return undefined;
  }
}

function compileText(text: string, ajv: Ajv2020): Compiled {
  try {
    return ajv.compile(withoutName(JSON.parse(text)));
  } catch {
    return "unchecked";
  }
}

function createAjv(): Ajv2020 {
  const regExp = Object.assign(boundedPattern, { code: "boundedPattern" });
  return new Ajv2020({ strict: false, validateFormats: false, logger: false, code: { regExp } });
}

/** Two tools may carry the same `$id`, which Ajv would refuse. */
function withoutName(schema: Record<string, unknown>): object {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}

/** A pattern that runs in linear time (G145); one that cannot, with a look-ahead say, holds for every text. */
function boundedPattern(pattern: string): RegExp {
  const compiled = pattern.length <= LONGEST_PATTERN ? compileLinear(pattern) : undefined;
  // Ajv tells patterns apart by their text.
  return {
    test: (text: string) => compiled?.test(text) ?? true,
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
