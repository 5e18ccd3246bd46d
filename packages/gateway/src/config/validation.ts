// What the schema finds, said to a person: which setting, what it is, what it may be.

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

/** Checks a configuration and puts the defaults in; the value is changed. */
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
    // `if` and `oneOf` speak of properties that are declared beside them.
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajv.addKeyword({ keyword: "x-secret", schemaType: "boolean" });
  return ajv.compile(configSchema());
}

function explain(error: ErrorObject): PlacedProblem | undefined {
  const at = readPointer(error.instancePath);
  const place = (message: string, where: Path = at): PlacedProblem => ({
    at: where,
    path: pathText(where),
    message,
  });
  const schema = schemaAt(at);
  // A value that may be a secret is not repeated.
  const isSecret = schema?.["x-secret"] === true;
  const shown = isSecret ? "The value" : show(error.data);
  const hint = schema?.description ? ` ${schema.description}` : "";
  const { params } = error;
  switch (error.keyword) {
    case "additionalProperties": {
      const name = `${params.additionalProperty}`;
      return place(unknownName(name, at), [...at, name]);
    }
    case "required":
      // Of the alternatives only `oneOf` itself is told.
      if (error.schemaPath.includes("/oneOf/")) return undefined;
      return place(missingName(`${params.missingProperty}`, at));
    case "oneOf":
      return place(
        params.passingSchemas
          ? "It has both url and command; a server is one of them."
          : "It has neither url nor command; give one of them.",
      );
    case "type":
      return place(`${shown} is no ${wordOf(`${params.type}`)}.${hint}`);
    case "enum": {
      const allowed = (params.allowedValues as unknown[]).map(String);
      const nearest = nearestName(`${error.data}`, allowed);
      const guess = nearest ? ` Did you mean "${nearest}"?` : "";
      return place(`${shown} is not one of ${allowed.join(", ")}.${guess}`);
    }
    case "pattern":
      return place(`${shown} is not of the right form.${hint}`);
    case "minLength":
      return place(
        params.limit === 1
          ? `It is empty.${hint}`
          : `It has ${`${error.data}`.length} characters, ${params.limit} are the least.${hint}`,
      );
    case "minItems":
      return place(`The list is empty.${hint}`);
    case "minimum":
    case "maximum":
      return place(`${shown} is out of range: it must be ${params.comparison} ${params.limit}.`);
    case "propertyNames": {
      const name = `${params.propertyName}`;
      return place("The name is not of the right form: letters, digits and _.-", [...at, name]);
    }
    default:
      // What stands beside these says more: `if`, and a pattern of a property's name.
      return undefined;
  }
}

/** Settings of earlier versions that held keys. */
const FORMER_KEYS = ["engine.key", "tickets.keys", "sandbox.key", "credentials"];

function unknownName(name: string, at: Path): string {
  if (FORMER_KEYS.includes(pathText([...at, name]))) {
    return "Keys are files now. Remove this setting, create the files with: vitrine gateway keys create <folder>, and set keys.folder.";
  }
  const names = Object.keys(schemaAt(at)?.properties ?? {});
  const nearest = nearestName(name, names);
  return nearest
    ? `There is no such setting; did you mean "${nearest}"?`
    : `There is no such setting; there are ${names.join(", ")}.`;
}

function missingName(name: string, at: Path): string {
  const description = schemaAt([...at, name])?.description;
  return `"${name}" is missing.${description ? ` ${description}` : ""}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function wordOf(type: string): string {
  if (type === "integer") return "whole number";
  if (type === "object") return "group of settings";
  if (type === "array") return "list";
  return type === "boolean" ? "true or false" : type;
}

function readPointer(pointer: string): Path {
  let schema: Schema | undefined = configSchema();
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => {
      // A server may be called "7".
      const name = schema?.type === "array" ? Number(part) : part;
      schema = schema && memberSchema(schema, name);
      return name;
    });
}
