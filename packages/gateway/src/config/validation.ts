// Converts schema errors to messages for operators: which setting, its value, and the allowed values.

import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { GatewayConfig } from "./config.ts";
import { nearestName } from "./nearest-name.ts";
import type { PlacedProblem, Problem } from "./problem.ts";
import {
  configSchema,
  memberSchema,
  type Path,
  pathText,
  type Schema,
  schemaAt,
} from "./schema.ts";

type Validate = ReturnType<Ajv2020["compile"]>;
let validate: Validate | undefined;

/** Checks a configuration and fills in the defaults. Modifies `value`. */
export function validateConfig(value: unknown): PlacedProblem[] {
  validate ??= compile();
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors.flatMap((error) => {
    const problem = explain(error);
    return problem ? [problem] : [];
  });
}

/** Whether a checked value is a configuration. */
export function isConfig(value: unknown, problems: readonly Problem[]): value is GatewayConfig {
  return problems.length === 0 && typeof value === "object" && value !== null;
}

function compile(): Validate {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    // `if` and `oneOf` refer to properties that are declared next to them.
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajv.addKeyword({ keyword: "x-secret", schemaType: "boolean" });
  return ajv.compile(configSchema());
}

function explain(error: ErrorObject): PlacedProblem | undefined {
  const at = readPointer(error.instancePath);
  const problemAt = (message: string, where: Path = at): PlacedProblem => ({
    at: where,
    path: pathText(where),
    message,
  });
  const schema = schemaAt(at);
  // A value that may be a secret isn't repeated.
  const isSecret = schema?.["x-secret"] === true;
  const shown = isSecret ? "The value" : show(error.data);
  const hint = schema?.description ? ` ${schema.description}` : "";
  const { params } = error;
  switch (error.keyword) {
    case "additionalProperties": {
      const name = `${params.additionalProperty}`;
      return problemAt(unknownName(name, at), [...at, name]);
    }
    case "required":
      // Of a failed `oneOf`, report only the `oneOf` itself.
      if (error.schemaPath.includes("/oneOf/")) return undefined;
      return problemAt(missingName(`${params.missingProperty}`, at));
    case "oneOf":
      return problemAt(
        params.passingSchemas
          ? "It has both url and command. Remove one of them."
          : "It has neither url nor command. Set one of them.",
      );
    case "type":
      return problemAt(`${shown} isn't ${typeName(`${params.type}`)}.${hint}`);
    case "enum": {
      if (pathText(at) === "engine.driver" && error.data === "file") return problemAt(FILE_DRIVER);
      const allowed = (params.allowedValues as unknown[]).map(String);
      const nearest = nearestName(`${error.data}`, allowed);
      const guess = nearest ? ` Did you mean "${nearest}"?` : "";
      return problemAt(`${shown} isn't one of ${allowed.join(", ")}.${guess}`);
    }
    case "pattern":
      return problemAt(`${shown} has the wrong format.${hint}`);
    case "minLength":
      return problemAt(
        params.limit === 1
          ? `It is empty.${hint}`
          : `It has ${`${error.data}`.length} characters, but needs at least ${params.limit}.${hint}`,
      );
    case "minItems":
      return problemAt(`The list is empty.${hint}`);
    case "minimum":
    case "maximum":
      return problemAt(
        `${shown} is out of range: it must be ${params.comparison} ${params.limit}.`,
      );
    case "propertyNames": {
      const name = `${params.propertyName}`;
      return problemAt("The name has the wrong format. Use letters, digits and _.-", [...at, name]);
    }
    default:
      // The errors next to these are more specific: `if`, and the pattern of a property name.
      return undefined;
  }
}

const FILE_DRIVER =
  'The driver file was replaced by sqlite. Set engine.driver to "sqlite" and engine.folder to an empty folder: data of the driver file isn\'t converted.';

/** Settings that held keys in earlier versions. */
const FORMER_KEYS = ["engine.key", "tickets.keys", "sandbox.key", "credentials"];

function unknownName(name: string, at: Path): string {
  if (FORMER_KEYS.includes(pathText([...at, name]))) {
    return "Keys are stored in files now. Remove this setting, create the files with: vitrine gateway keys create <folder>, and set keys.folder.";
  }
  const names = Object.keys(schemaAt(at)?.properties ?? {});
  const nearest = nearestName(name, names);
  return nearest
    ? `Unknown setting. Did you mean "${nearest}"?`
    : `Unknown setting. The settings here are ${names.join(", ")}.`;
}

function missingName(name: string, at: Path): string {
  const description = schemaAt([...at, name])?.description;
  return `"${name}" is missing.${description ? ` ${description}` : ""}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function typeName(type: string): string {
  if (type === "integer") return "a whole number";
  if (type === "object") return "a group of settings";
  if (type === "array") return "a list";
  return type === "boolean" ? "true or false" : `a ${type}`;
}

function readPointer(pointer: string): Path {
  let schema: Schema | undefined = configSchema();
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => {
      // A server's name may be a number, such as "7".
      const name = schema?.type === "array" ? Number(part) : part;
      schema = schema && memberSchema(schema, name);
      return name;
    });
}
