import { readFileSync } from "node:fs";

/** The part of JSON Schema that ours is written in. */
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

/** Where a value stands: names and, in lists, places. */
export type Path = readonly (string | number)[];

/** Beside `src` and beside `dist`. */
const FILE = new URL("../../schema/config.schema.json", import.meta.url);
let schema: Schema | undefined;

/** The schema of a configuration, which is also what editors use. */
export function configSchema(): Schema {
  schema ??= JSON.parse(readFileSync(FILE, "utf8")) as Schema;
  return schema;
}

/** The schema of a member, if there may be one of that name. */
export function memberSchema(of: Schema, name: string | number): Schema | undefined {
  const whole = follow(of);
  if (typeof name === "number") return whole.items && follow(whole.items);
  const own = Object.hasOwn(whole.properties ?? {}, name) ? whole.properties?.[name] : undefined;
  const more = whole.additionalProperties;
  const found = own ?? (typeof more === "object" ? more : undefined);
  return found && follow(found);
}

/** The schema of a place. */
export function schemaAt(path: Path): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (found, name) => found && memberSchema(found, name),
    configSchema(),
  );
}

/** A path in the words of an operator. */
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
