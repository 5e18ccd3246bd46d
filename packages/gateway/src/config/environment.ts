// Secrets stay out of the configuration, so that it can be shown to others: a value that the schema marks as
// secret may hold `${file:/path}`, or `${NAME}` of the environment. Any other setting can be set by a variable
// (VITRINE_LISTEN_PORT for listen.port), so that a container needs no file of its own.

import { resolve as resolvePath } from "node:path";
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
import { readSecretFile, SecretFileError } from "./secret-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What became of a configuration in an environment. */
export interface Completed {
  value: unknown;
  problems: PlacedProblem[];
  /** Resolved values that must never be printed. */
  secrets: string[];
  /** Secrets that a process of the same user can read in /proc, by the variable they come from. */
  exposed: { at: Path; name: string }[];
  /** Secrets that stand in the file itself. */
  inline: Path[];
  /** Settings by path that come from a variable, by its name. */
  overridden: Map<string, string>;
  /** Variables that look like ours and are not. */
  warnings: string[];
}

const REFERENCE = /\$\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PREFIX = "VITRINE_";
const FILE = "file:";

/** Puts the environment and secret files into a configuration. `base`: the folder of relative paths. */
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
    inline: [],
    overridden: new Map(),
    warnings: [],
  };
  const referenced = new Set<string>();
  const copy = structuredClone(given);
  override(copy, environment, completed);
  completed.value = resolve(copy, [], configSchema(), { environment, completed, referenced, base });
  warnOfStrangers(environment, referenced, completed);
  return completed;
}

/** The variables that set something, by name. */
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
    const place = placeOf(value, path.slice(0, -1));
    if (!place) continue;
    place[`${path.at(-1)}`] = readVariable(text, path);
    if (schemaAt(path)?.["x-secret"]) completed.exposed.push({ at: path, name });
    completed.overridden.set(pathText(path), name);
  }
}

/** The object at a path, made on the way; nothing where something else stands, which is told later. */
function placeOf(value: Record<string, unknown>, path: Path): Record<string, unknown> | undefined {
  let place = value;
  for (const part of path) {
    const inner = place[part] ?? {};
    if (!isObject(inner)) return undefined;
    place[part] = inner;
    place = inner;
  }
  return place;
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
    const next = (place: number) => schema && memberSchema(schema, place);
    return value.map((item, place) => resolve(item, [...path, place], next(place), to));
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
  const say = (message: string): void =>
    void completed.problems.push({ at: path, path: own, message });
  const resolved = text.replace(REFERENCE, (whole, name: string) => {
    if (!isSecret) {
      say(`${whole} is read in secrets only; ${otherWay(own)}.`);
      return whole;
    }
    if (name.startsWith(FILE)) {
      const found = readReference(resolvePath(base, name.slice(FILE.length).trim()), say);
      if (found !== undefined) completed.secrets.push(found);
      return found ?? whole;
    }
    if (!NAME.test(name)) {
      say(`${whole} names no variable; write \${NAME} with letters, digits and "_".`);
      return whole;
    }
    referenced.add(name);
    const found = environment[name];
    if (found === undefined || found === "") {
      say(`The variable ${name} is not set; set it before the gateway is started.`);
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

/** How to set a value that isn't a secret. */
function otherWay(path: string): string {
  const variable = [...overrideNames()].find(([, other]) => pathText(other) === path)?.[0];
  return variable ? `set ${variable} instead` : "write the value itself";
}

function readReference(path: string, say: (message: string) => void): string | undefined {
  try {
    return readSecretFile(path);
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    say(error.message);
    return undefined;
  }
}

function warnOfStrangers(
  environment: Environment,
  referenced: ReadonlySet<string>,
  { warnings }: Completed,
): void {
  const names = [...overrideNames().keys()];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(PREFIX) || names.includes(name) || referenced.has(name)) continue;
    const nearest = nearestName(name, names);
    const hint = nearest ? `; did you mean ${nearest}?` : ".";
    warnings.push(`The variable ${name} sets nothing${hint}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
