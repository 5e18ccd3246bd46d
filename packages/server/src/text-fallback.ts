// Text for the model, made of what a tool gives to its View (SRV-12, SRV-13): headings from titles, a
// table for a list of flat objects, and an end, whatever the data is. The data may be anything: it is
// written as text of one line each, so that no value can pass for a heading or a row.

import { isRecord, isScalar, type JsonSchema, readSchema, type SchemaNode } from "./json-schema.ts";
import { labelOf } from "./key-label.ts";

/** How text is made. */
export interface TextFallbackOptions {
  /** JSON Schema of the data: its titles become labels, its order the order. */
  schema?: JsonSchema | undefined;
  /** First heading. */
  title?: string | undefined;
  /** Characters at most; default 8,000. */
  maxLength?: number | undefined;
  /** Rows of a table and items of a list at most; default 50. */
  maxRows?: number | undefined;
}

const defaults = { maxLength: 8_000, maxRows: 50 };
const mostColumns = 12;
const mostFields = 64;
const deepest = 5;
const longestCell = 200;
const longestText = 2_000;

/** Readable text of a tool's structured content; empty only if there is nothing to say. */
export function textFallback(data: unknown, options: TextFallbackOptions = {}): string {
  const { maxLength = defaults.maxLength, maxRows = defaults.maxRows } = options;
  const writer = new Writer(maxLength, maxRows);
  if (options.title) writer.line(`# ${oneLine(options.title)}`);
  writer.value(data, readSchema(options.schema), 2);
  return writer.text();
}

/** Writes until the length is reached, and then adds a note that there is more. */
class Writer {
  readonly #lines: string[] = [];
  readonly #maxRows: number;
  #left: number;
  #full = false;

  constructor(maxLength: number, maxRows: number) {
    this.#left = maxLength;
    this.#maxRows = maxRows;
  }

  text(): string {
    if (this.#full) this.#lines.push("", "… cut here: there is more.");
    return this.#lines.join("\n").trim();
  }

  line(line: string): void {
    if (this.#full) return;
    if (line.length + 1 > this.#left) {
      this.#full = true;
      return;
    }
    this.#left -= line.length + 1;
    this.#lines.push(line);
  }

  value(value: unknown, schema: SchemaNode, depth: number): void {
    if (this.#full || value === undefined) return;
    if (Array.isArray(value)) this.#list(value, schema.items() ?? readSchema(undefined), depth);
    else if (isRecord(value)) this.#object(value, schema, depth);
    else this.line(scalar(value, schema, longestText));
  }

  #object(record: JsonSchema, schema: SchemaNode, depth: number): void {
    const fields = fieldsOf(record, schema);
    // What fits a line comes first, so that nothing stands below the heading of something else.
    for (const { label, value, node } of fields) {
      if (!isNested(value)) this.line(`- ${label}: ${scalar(value, node, longestText)}`);
    }
    for (const { label, value, node } of fields) {
      if (!isNested(value)) continue;
      if (depth > deepest) {
        this.line(`- ${label}: ${summary(value)}`);
        continue;
      }
      this.line("");
      this.line(`${"#".repeat(depth)} ${label}`);
      this.value(value, node, depth + 1);
    }
    const more = Object.keys(record).length - fields.length;
    if (more > 0) this.line(`… ${more} more fields`);
    if (fields.length === 0) this.line("(no data)");
  }

  #list(items: readonly unknown[], schema: SchemaNode, depth: number): void {
    if (items.length === 0) {
      this.line("(none)");
      return;
    }
    const shown = items.slice(0, this.#maxRows);
    if (shown.every(isFlatRecord)) this.#table(shown, schema);
    else for (const [at, item] of shown.entries()) this.#item(item, { at, schema, depth });
    const more = items.length - shown.length;
    if (more > 0) this.line(`… ${more} more, ${items.length} in all`);
  }

  #item(
    item: unknown,
    { at, schema, depth }: { at: number; schema: SchemaNode; depth: number },
  ): void {
    if (!isNested(item)) this.line(`- ${scalar(item, schema, longestText)}`);
    else if (depth > deepest) this.line(`- ${summary(item)}`);
    else {
      this.line("");
      this.line(`${"#".repeat(depth)} ${at + 1}`);
      this.value(item, schema, depth + 1);
    }
  }

  #table(rows: readonly JsonSchema[], schema: SchemaNode): void {
    const columns = columnsOf(rows, schema).slice(0, mostColumns);
    if (columns.length === 0) {
      this.line("(no data)");
      return;
    }
    const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
    this.line(row(columns.map(({ label }) => cell(oneLine(label)))));
    this.line(row(columns.map(() => "---")));
    for (const record of rows) {
      this.line(
        row(columns.map(({ name, node }) => cell(scalar(own(record, name), node, longestCell)))),
      );
    }
  }
}

interface Field {
  name: string;
  label: string;
  node: SchemaNode;
  value: unknown;
}

/** The fields of an object: in the schema's order, then those it does not know. */
function fieldsOf(record: JsonSchema, schema: SchemaNode): Field[] {
  const known = schema.properties();
  const names = new Set([...known.map(({ name }) => name), ...Object.keys(record)]);
  const fields: Field[] = [];
  for (const name of names) {
    const value = own(record, name);
    if (value === undefined || fields.length === mostFields) continue;
    const property = known.find((one) => one.name === name);
    const node = property?.node ?? schema.values() ?? readSchema(undefined);
    fields.push({ name, label: oneLine(property?.label ?? labelOf(name)), node, value });
  }
  return fields;
}

function columnsOf(rows: readonly JsonSchema[], schema: SchemaNode): Omit<Field, "value">[] {
  const known = schema.properties().filter(({ node }) => isScalar(node));
  const present = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns: Omit<Field, "value">[] = known.filter(({ name }) => present.has(name));
  for (const name of present) {
    if (columns.some((column) => column.name === name)) continue;
    columns.push({ name, label: labelOf(name), node: readSchema(undefined) });
  }
  return columns;
}

function scalar(value: unknown, { choices }: SchemaNode, longest: number): string {
  const label = choices?.find((choice) => choice.value === value)?.label;
  if (label !== undefined) return oneLine(label, longest);
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return oneLine(String(value), longest);
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isFlatRecord(value: unknown): value is JsonSchema {
  return isRecord(value) && !Object.values(value).some(isNested);
}

function summary(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} items`;
  return `${Object.keys(value as object).length} fields`;
}

/** Text of one line: a line break in a value would let it write headings and rows of its own. */
function oneLine(value: string, longest: number = longestCell): string {
  const cut =
    value.length > longest ? `${value.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…` : value;
  return cut.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function cell(value: string): string {
  return value.replaceAll("|", "\\|");
}

function own(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as JsonSchema)[key] : undefined;
}
