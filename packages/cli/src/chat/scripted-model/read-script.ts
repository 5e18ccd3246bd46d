import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelScript } from "./script.ts";
import { ScriptError } from "./script-error.ts";

/** Reads and checks a script: a `.json` file, or a `.mjs`, `.js` or `.ts` module with a default export. */
export async function loadScript(path: string): Promise<ModelScript> {
  let value: unknown;
  try {
    if (/\.[mc]?[jt]s$/.test(path)) {
      value = ((await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }).default;
    } else value = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ScriptError(
      "script-unreadable",
      `The script ${path} can't be read: ${cause instanceof Error ? cause.message : cause}. ` +
        `Pass a JSON file, or a module whose default export is the script.`,
      { cause },
    );
  }
  return checkScript(value);
}

type Check = (value: unknown, path: string) => void;

/** Returns `value` as a script, or throws a `script-invalid` error that names the first wrong field. */
export function checkScript(value: unknown): ModelScript {
  script(value, "script");
  return value as ModelScript;
}

function invalid(path: string, expected: string, value: unknown): never {
  const shown = typeof value === "function" ? "a function" : JSON.stringify(value);
  throw new ScriptError(
    "script-invalid",
    `${path} must be ${expected}, but it is ${shown?.slice(0, 120)}.`,
  );
}

const text: Check = (value, path) => {
  if (typeof value !== "string") invalid(path, "a string", value);
};
const name: Check = (value, path) => {
  if (typeof value !== "string" || value === "") invalid(path, "the name of a tool", value);
};
const count =
  (least: number, most: number): Check =>
  (value, path) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      invalid(path, `a whole number from ${least} to ${most}`, value);
  };
const pace = count(0, 60_000);
const chunk = count(1, 100_000);
const pattern: Check = (value, path) => {
  text(value, path);
  try {
    new RegExp(value as string, "i");
  } catch {
    invalid(path, "a regular expression", value);
  }
};

/** An object with known fields only, so that a misspelt field is found. */
function fields(required: Record<string, Check>, optional: Record<string, Check>): Check {
  const known = new Map(Object.entries({ ...required, ...optional }));
  return (value, path) => {
    anyFields(value, path);
    for (const key of Object.keys(required))
      if (!Object.hasOwn(value as object, key))
        throw new ScriptError("script-invalid", `${path} needs the field "${key}".`);
    for (const [key, field] of Object.entries(value as object)) {
      const check = known.get(key);
      if (!check)
        throw new ScriptError(
          "script-invalid",
          `${path} has the unknown field "${key}". Known fields are ${[...known.keys()].join(", ")}.`,
        );
      if (field !== undefined) check(field, `${path}.${key}`);
    }
  };
}

const anyFields: Check = (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    invalid(path, "an object", value);
};

const condition = fields(
  {},
  {
    user: pattern,
    after: name,
    result: pattern,
    system: pattern,
    hasTool: (value, path) => {
      if (value !== false) name(value, path);
    },
  },
);

const PARTS: Record<string, Check> = {
  text: fields({ text }, { pace, chunk }),
  call: fields({ call: name }, { arguments: anyFields, pace, chunk }),
  wait: fields({ wait: count(0, 600_000) }, {}),
  error: fields({ error: text }, { status: count(400, 599) }),
};

/** Checks the parts of a reply. A module computes some of them for each request, so they are checked then. */
export function checkReply(value: unknown, path: string): void {
  if (!Array.isArray(value)) invalid(path, "a list of parts", value);
  value.forEach((part: unknown, index) => {
    const at = `${path}[${index}]`;
    const kind = Object.keys(PARTS).find(
      (key) => typeof part === "object" && part !== null && Object.hasOwn(part, key),
    );
    if (!kind) invalid(at, `an object with one of ${Object.keys(PARTS).join(", ")}`, part);
    PARTS[kind]?.(part, at);
    if (kind === "error" && value.length > 1)
      throw new ScriptError(
        "script-invalid",
        `${path} has an error and other parts. An error must be the only part.`,
      );
  });
}

const turn = fields(
  {
    reply: (value, path) => {
      if (typeof value !== "function") checkReply(value, path);
    },
  },
  { when: condition, times: count(1, 1_000_000) },
);

const script = fields(
  {
    turns: (value, path) => {
      if (!Array.isArray(value) || value.length === 0)
        invalid(path, "a list with at least one turn", value);
      value.forEach((item, index) => {
        turn(item, `${path}[${index}]`);
      });
    },
  },
  { model: text, pace, chunk },
);
