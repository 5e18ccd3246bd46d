// Finds the values that a JSON Schema marks as secret: `format: "password"`, `writeOnly: true`. The server
// controls the schema, so nothing in it is executed: a pattern counts as matching, references are followed
// only within the schema, and if there is too much to follow, the value counts as secret.

type Schema = Record<string, unknown>;

/** Schemas that may apply to one value. */
const MOST_APPLICABLE = 64;
/** Subschemas that are searched to find out whether a schema marks any secret. */
const MOST_PLACES = 10_000;
/** Subschemas that are searched for one value and its contents. */
const MOST_STEPS = 50_000;

const IN_PLACE = ["allOf", "anyOf", "oneOf"] as const;
const CONDITIONS = ["if", "then", "else", "not"] as const;
const REFERENCES = ["$ref", "$dynamicRef"] as const;
const namesSecret = new WeakMap<object, boolean>();

/** A whole schema, and the remaining budget for searching it. */
interface Root {
  readonly schema: Schema;
  steps: number;
}

/** The marks that a schema puts on one value. */
export class SchemaMarks {
  readonly isSecret: boolean;
  readonly #root: Root;
  readonly #schemas: Schema[];

  private constructor(root: Root, schemas: unknown[]) {
    this.#root = root;
    this.#schemas = applicable(root, schemas);
    this.isSecret =
      root.steps <= 0 ||
      this.#schemas.length > MOST_APPLICABLE ||
      this.#schemas.some(({ format, writeOnly }) => format === "password" || writeOnly === true);
  }

  /** Undefined for most schemas, which mark no secret. */
  static of(schema: unknown): SchemaMarks | undefined {
    if (!isSchema(schema)) return undefined;
    let found = namesSecret.get(schema);
    if (found === undefined) {
      found = hasMark(schema);
      namesSecret.set(schema, found);
    }
    return found ? new SchemaMarks({ schema, steps: MOST_STEPS }, [schema]) : undefined;
  }

  property(key: string): SchemaMarks | undefined {
    const found: unknown[] = [];
    for (const schema of this.#schemas) {
      const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
      if (isSchema(properties) && Object.hasOwn(properties, key)) found.push(properties[key]);
      else found.push(additionalProperties, unevaluatedProperties);
      found.push(...someMembers(this.#root, patternProperties));
    }
    return this.#under(found);
  }

  item(place: number): SchemaMarks | undefined {
    const found: unknown[] = [];
    for (const { items, prefixItems, additionalItems, contains, unevaluatedItems } of this
      .#schemas) {
      // Drafts before 2020-12 have a list under `items`.
      const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      found.push(place < fixed.length ? fixed[place] : items);
      found.push(additionalItems, contains, unevaluatedItems);
    }
    return this.#under(found);
  }

  #under(found: unknown[]): SchemaMarks | undefined {
    const schemas = found.filter(isSchema);
    return schemas.length === 0 ? undefined : new SchemaMarks(this.#root, schemas);
  }
}

// All subschemas that apply to one value. If there are too many, one more than the limit.
function applicable(root: Root, start: unknown[]): Schema[] {
  const found = new Set<Schema>();
  const waiting = [...start];
  while (waiting.length > 0 && found.size <= MOST_APPLICABLE && root.steps > 0) {
    const next = waiting.pop();
    root.steps -= 1;
    if (!isSchema(next) || found.has(next)) continue;
    found.add(next);
    waiting.push(...inPlace(root, next), ...REFERENCES.map((key) => resolve(root, next[key])));
  }
  return [...found];
}

function inPlace(root: Root, schema: Schema): unknown[] {
  const parts: unknown[] = CONDITIONS.map((key) => schema[key]);
  for (const key of IN_PLACE) {
    const list = schema[key];
    // One more than the limit is enough.
    if (Array.isArray(list)) parts.push(...list.slice(0, MOST_APPLICABLE + 1));
  }
  parts.push(...someMembers(root, schema.dependentSchemas));
  return parts;
}

/** One more than the limit is enough. Finding them lists all keys, which counts towards the budget. */
function someMembers(root: Root, members: unknown): unknown[] {
  if (!isSchema(members) || root.steps <= 0) return [];
  const keys = Object.keys(members);
  root.steps -= keys.length;
  return keys.slice(0, MOST_APPLICABLE + 1).map((key) => members[key]);
}

// Resolves a JSON pointer within the schema. External references aren't fetched.
function resolve(root: Root, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#") || reference.length > 1_024) {
    return undefined;
  }
  let at: unknown = root.schema;
  for (const part of reference.slice(1).split("/").slice(1)) {
    root.steps -= 1;
    const key = decodePart(part);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
}

function decodePart(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function hasMark(schema: Schema): boolean {
  const waiting: unknown[] = [schema];
  let places = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    places += 1;
    if (places > MOST_PLACES) return true;
    if (typeof next !== "object" || next === null) continue;
    const { format, writeOnly } = next as Schema;
    if (format === "password" || writeOnly === true) return true;
    for (const value of Object.values(next)) {
      if (typeof value === "object" && value !== null) waiting.push(value);
    }
  }
  return false;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
