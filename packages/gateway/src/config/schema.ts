import { readFileSync } from "node:fs";

/** The keywords of JSON Schema that our schema uses. */
export interface Schema {
  description?: string;
  type?: string;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  "x-secret"?: boolean;
}

/** The path of a value: names, and indexes in lists. */
export type Path = readonly (string | number)[];

/** Next to both `src` and `dist`. */
const FILE = new URL("../../schema/config.schema.json", import.meta.url);
let schema: Schema | undefined;

/** The schema of a configuration. Editors use it too. */
export function configSchema(): Schema {
  schema ??= JSON.parse(readFileSync(FILE, "utf8")) as Schema;
  return schema;
}

/** The schema of a member, or undefined if there can't be one of that name. */
export function memberSchema(of: Schema, name: string | number): Schema | undefined {
  const whole = follow(of);
  if (typeof name === "number") return whole.items && follow(whole.items);
  const own = Object.hasOwn(whole.properties ?? {}, name) ? whole.properties?.[name] : undefined;
  const more = whole.additionalProperties;
  const found = own ?? (typeof more === "object" ? more : undefined);
  return found && follow(found);
}

/** The schema of the value at a path. */
export function schemaAt(path: Path): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (found, name) => found && memberSchema(found, name),
    configSchema(),
  );
}

/** A path as operators write it. */
export function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

function follow(part: Schema): Schema {
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(part.$ref ?? "") ?? [];
  return (name && configSchema().$defs?.[name]) || part;
}
