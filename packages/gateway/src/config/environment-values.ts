// Keeps secrets out of the configuration, so that it can be shown to others: a setting that the schema marks
// as secret may contain `${file:/path}`, or `${NAME}` for an environment variable. Any other setting can be
// set by a variable (VITRINE_LISTEN_PORT for listen.port), so that a container doesn't need a configuration
// file.

import { resolve as resolvePath } from "node:path";
import { stampOfNow } from "./config-file.ts";
import { nearestName } from "./nearest-name.ts";
import type { PlacedProblem } from "./problem.ts";
import {
  configSchema,
  memberSchema,
  type Path,
  pathText,
  type Schema,
  schemaAt,
} from "./schema.ts";
import { isDescriptor, readSecretFile, SecretFileError } from "./secret-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration completed with values from the environment. */
export interface Completed {
  value: unknown;
  problems: PlacedProblem[];
  /** Resolved values that must never be printed. */
  secrets: string[];
  /** Secrets that another process of the same user can read in /proc, with the name of their variable. */
  exposed: { at: Path; name: string }[];
  /** The files that secrets were read from, with their stamps before that. */
  secretFiles: Map<string, string>;
  /** Secrets written in the configuration file itself. */
  inline: Path[];
  /** Paths of settings that come from a variable, with the variable's name. */
  overridden: Map<string, string>;
  /** Variables with our prefix that set nothing. */
  warnings: string[];
}

const REFERENCE = /\$\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const TEMPLATES: ReadonlySet<string> = new Set(["user.id", "user.tenant"]);
const PREFIX = "VITRINE_";
const FILE = "file:";

/** Adds environment variables and secret files to a configuration. `base` is the folder of relative paths. */
export function completeFrom(
  environment: Environment,
  given: unknown,
  { base = "." }: { base?: string } = {},
): Completed {
  const completed: Completed = {
    value: undefined,
    problems: [],
    secrets: [],
    exposed: [],
    secretFiles: new Map(),
    inline: [],
    overridden: new Map(),
    warnings: [],
  };
  const referenced = new Set<string>();
  const copy = structuredClone(given);
  override(copy, environment, completed);
  completed.value = resolve(copy, [], configSchema(), { environment, completed, referenced, base });
  warnOfUnknownVariables(environment, referenced, completed);
  return completed;
}

/** The environment variables that set something, by name. */
export function overrideNames(): Map<string, Path> {
  const names = new Map<string, Path>();
  const collect = (schema: Schema, path: Path): void => {
    for (const name of Object.keys(schema.properties ?? {})) {
      const member = memberSchema(schema, name);
      if (!member) continue;
      const at = [...path, name];
      const isList = member.type === "array" && member.items?.type === "string";
      const isPlain = member.type !== "object" && member.type !== "array";
      if (isPlain || isList) names.set(variableOf(at), at);
      else collect(member, at);
    }
  };
  collect(configSchema(), []);
  return names;
}

function variableOf(path: Path): string {
  const words = path.map((part) => `${part}`.replace(/([a-z])([A-Z])/g, "$1_$2"));
  return PREFIX + words.join("_").toUpperCase();
}

function override(value: unknown, environment: Environment, completed: Completed): void {
  if (!isObject(value)) return;
  for (const [name, path] of overrideNames()) {
    const text = environment[name];
    if (text === undefined || text === "") continue;
    const parent = parentAt(value, path.slice(0, -1));
    if (!parent) continue;
    parent[`${path.at(-1)}`] = readVariable(text, path);
    if (schemaAt(path)?.["x-secret"]) completed.exposed.push({ at: path, name });
    completed.overridden.set(pathText(path), name);
  }
}

/**
 * Returns the object at a path and creates missing ones. Undefined if a value on the way isn't an object,
 * which validation reports later.
 */
function parentAt(value: Record<string, unknown>, path: Path): Record<string, unknown> | undefined {
  let parent = value;
  for (const part of path) {
    const inner = parent[part] ?? {};
    if (!isObject(inner)) return undefined;
    parent[part] = inner;
    parent = inner;
  }
  return parent;
}

function readVariable(text: string, path: Path): unknown {
  const schema = schemaAt(path);
  if (schema?.type === "array") return text.split(",").map((part) => part.trim());
  if (schema?.type === "integer" && /^\d+$/.test(text)) return Number(text);
  if (schema?.type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

interface Resolving {
  environment: Environment;
  completed: Completed;
  referenced: Set<string>;
  base: string;
}

function resolve(value: unknown, path: Path, schema: Schema | undefined, to: Resolving): unknown {
  if (typeof value === "string") return resolveText(value, path, schema, to);
  if (Array.isArray(value)) {
    const next = (parent: number) => schema && memberSchema(schema, parent);
    return value.map((item, parent) => resolve(item, [...path, parent], next(parent), to));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const next = schema && memberSchema(schema, name);
    return [name, resolve(member, [...path, name], next, to)];
  });
  return Object.fromEntries(entries);
}

function resolveText(
  text: string,
  path: Path,
  schema: Schema | undefined,
  { environment, completed, referenced, base }: Resolving,
): string {
  const isSecret = schema?.["x-secret"] === true;
  const own = pathText(path);
  const report = (message: string): void =>
    void completed.problems.push({ at: path, path: own, message });
  const resolved = text.replace(REFERENCE, (whole, name: string) => {
    if (!isSecret) {
      report(`${whole} only works in settings that are secrets. ${otherWay(own)}.`);
      return whole;
    }
    if (name.startsWith(FILE)) {
      const file = resolvePath(base, name.slice(FILE.length).trim());
      return readReference(file, completed, report) ?? whole;
    }
    // Filled in when a process is started for a user.
    if (TEMPLATES.has(name) && path[0] === "servers" && path[2] === "env") return whole;
    if (!NAME.test(name)) {
      report(`${whole} isn't the name of a variable. Write \${NAME} with letters, digits and "_".`);
      return whole;
    }
    referenced.add(name);
    const found = environment[name];
    if (found === undefined || found === "") {
      report(`The variable ${name} isn't set. Set it before you start the gateway.`);
      return whole;
    }
    completed.secrets.push(found);
    completed.exposed.push({ at: path, name });
    return found;
  });
  if (isSecret && resolved && resolved === text) {
    completed.secrets.push(resolved);
    if (!completed.overridden.has(own)) completed.inline.push(path);
  }
  return resolved;
}

/** The advice for a setting that isn't a secret. */
function otherWay(path: string): string {
  const variable = [...overrideNames()].find(([, other]) => pathText(other) === path)?.[0];
  return variable ? `Set ${variable} instead` : "Write the value itself";
}

function readReference(
  path: string,
  { secrets, secretFiles }: Completed,
  report: (message: string) => void,
): string | undefined {
  if (!isDescriptor(path)) secretFiles.set(path, stampOfNow(path));
  try {
    const found = readSecretFile(path);
    secrets.push(found);
    return found;
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    report(error.message);
    return undefined;
  }
}

function warnOfUnknownVariables(
  environment: Environment,
  referenced: ReadonlySet<string>,
  { warnings }: Completed,
): void {
  const names = [...overrideNames().keys()];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(PREFIX) || names.includes(name) || referenced.has(name)) continue;
    const nearest = nearestName(name, names);
    const hint = nearest ? `. Did you mean ${nearest}?` : ".";
    warnings.push(`The variable ${name} sets nothing${hint}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
