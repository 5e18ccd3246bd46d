// What a result is made of, found by looking at it: most servers declare little or nothing. Each part
// is drawn by a template's body, or as text. Nothing is taken at its word, so what does not look like
// something else is text.

import type { CallToolResult } from "@vitrine/view";
import {
  type ResultConfig,
  type TextData,
  VIEW_DATA_KEY,
} from "../../src/auto-views/result-config.ts";
import type { DataTableColumn } from "../../src/templates/data-table.ts";
import type { DetailField } from "../../src/templates/detail.ts";
import { type GalleryImage, imageBlocks } from "../../src/templates/gallery-images.ts";
import { readTree, type Tree } from "../../src/templates/tree-view-data.ts";
import { asText, type Fields, humanise, isRecord, own } from "../shell/shell.tsx";

/** A part of a result, and what it is called. */
export type Part = { title?: string | undefined } & (
  | { kind: "table"; rows: Fields[]; columns?: DataTableColumn[] | undefined }
  | { kind: "list"; items: unknown[] }
  | { kind: "record"; record: Fields; fields?: DetailField[] | undefined }
  | { kind: "tree"; tree: Tree }
  | { kind: "diff"; lines: string[] }
  | { kind: "text"; text: string }
  | { kind: "images"; images: GalleryImage[] }
  | { kind: "sound"; src: string }
);

// Longer lists of plain values are better searched than read.
const SHORT_LIST = 12;
const SOUND = /^audio\/(mpeg|mp4|aac|ogg|wav|webm|flac)$/i;

/** The parts of a result; none if it holds nothing. */
export function partsOf(result: CallToolResult, config: ResultConfig): Part[] {
  const blocks = blocksIn(result.structuredContent);
  const structured = blocks ? undefined : result.structuredContent;
  const content: unknown[] = blocks ?? (Array.isArray(result.content) ? result.content : []);
  const told = own(result._meta, VIEW_DATA_KEY);
  const read = toTextData(own(told, "structured"));
  const parts: Part[] = [];
  if (read) parts.push(...textDataParts(read, config));
  else if (structured !== undefined) parts.push(...dataParts(structured, config));
  const images = imageBlocks(content.filter(isImage));
  const firstImage = content.findIndex(isImage);
  for (const [at, block] of content.entries()) {
    if (at === firstImage) parts.push({ kind: "images", images });
    if (isImage(block)) continue;
    const data = toTextData(own(own(told, "blocks"), String(at)));
    parts.push(...(data ? textDataParts(data, config) : blockParts(block, structured)));
  }
  return joinLinks(parts);
}

const BLOCKS: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"];

/** Structured content that is the content once more, as some servers declare it. */
function blocksIn(structured: unknown): unknown[] | undefined {
  const [only, ...more] = isRecord(structured) ? Object.values(structured) : [];
  const isBlock = (item: unknown): boolean => BLOCKS.includes(own(item, "type"));
  const areBlocks =
    Array.isArray(only) && only.length > 0 && more.length === 0 && only.every(isBlock);
  return areBlocks ? only : undefined;
}

/** A link may lead to an image as well, but a View follows none. */
function isImage(block: unknown): boolean {
  return own(block, "type") !== "resource_link" && imageBlocks([block]).some(({ src }) => src);
}

function* blockParts(block: unknown, structured: unknown): Iterable<Part> {
  const type = own(block, "type");
  const mimeType = asText(own(block, "mimeType")) ?? "";
  const text = asText(own(block, "text"));
  if (type === "text" && text !== undefined) {
    if (!isSaidAlready(text, structured)) yield* stringParts(text);
  } else if (type === "resource_link") {
    yield { kind: "table", rows: [linkRow(block)], columns: LINK_COLUMNS };
  } else if (type === "resource") {
    yield* resourceParts(own(block, "resource"));
  } else if (type === "audio" && SOUND.test(mimeType)) {
    yield { kind: "sound", src: `data:${mimeType};base64,${asText(own(block, "data")) ?? ""}` };
  }
}

function* resourceParts(resource: unknown): Iterable<Part> {
  const title = asText(own(resource, "uri"));
  const text = asText(own(resource, "text"));
  if (text !== undefined) {
    const [first, ...more] = stringParts(text);
    if (first) yield { ...first, title };
    yield* more;
    return;
  }
  const bytes = asText(own(resource, "blob"))?.length ?? 0;
  const size = `${Math.floor((bytes * 3) / 4).toLocaleString()} bytes`;
  yield { kind: "record", title, record: { type: asText(own(resource, "mimeType")), size } };
}

function linkRow(block: unknown): Fields {
  const name = asText(own(block, "title")) ?? asText(own(block, "name"));
  const description = asText(own(block, "description"));
  const type = asText(own(block, "mimeType"));
  const uri = asText(own(block, "uri"));
  return { name, ...(description && { description }), ...(type && { type }), uri };
}

const LINK_COLUMNS: DataTableColumn[] = [
  { key: "name" },
  { key: "description" },
  { key: "type" },
  { key: "uri", label: "URI" },
];

/** Links come one by one and are read as a list. */
function joinLinks(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (areLinks(part) && areLinks(last)) last.rows.push(...part.rows);
    else joined.push(part);
  }
  return joined;
}

function areLinks(part: Part | undefined): part is Part & { kind: "table" } {
  return part?.kind === "table" && part.columns === LINK_COLUMNS;
}

/** Whether a text only repeats the structured content. */
function isSaidAlready(text: string, structured: unknown): boolean {
  if (structured === undefined) return false;
  if (parsed(text) !== undefined) return true;
  const values = isRecord(structured) ? Object.values(structured) : [structured];
  return values.some((value) => typeof value === "string" && value.trim() === text.trim());
}

function stringParts(text: string): Part[] {
  if (text.trim() === "") return [];
  const value = parsed(text);
  return value === undefined ? [{ kind: "text", text }] : dataParts(value, {});
}

function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Any proxy may have added the data, so they are untrusted too. */
function toTextData(value: unknown): TextData | undefined {
  const lines = own(value, "lines");
  if (own(value, "kind") === "json") return value as TextData;
  const isDiff = own(value, "kind") === "diff" && Array.isArray(lines);
  return isDiff ? { kind: "diff", lines: lines.map(String) } : undefined;
}

function textDataParts(data: TextData, config: ResultConfig): Part[] {
  if (data.kind === "diff") return [data];
  const [first, ...more] = dataParts(data.value, config);
  const title = asText(data.title);
  return first ? [title ? { ...first, title } : first, ...more] : [];
}

/** The parts of some data. */
export function dataParts(value: unknown, config: ResultConfig): Part[] {
  if (Array.isArray(value)) return listParts(value, undefined, config);
  if (!isRecord(value)) return value === null ? [] : [{ kind: "text", text: String(value) }];
  if (Array.isArray(own(value, "children"))) {
    const tree = readTree(value);
    if (tree) return [{ kind: "tree", tree }];
  }
  const names = orderedNames(value, config);
  const [only = ""] = names;
  const text = own(value, only);
  // One text under some name is that text.
  if (names.length === 1 && typeof text === "string") return stringParts(text);
  const lists = names.filter((name) => isLongList(own(value, name)));
  const rest = names.filter((name) => !lists.includes(name));
  const record = Object.fromEntries(rest.map((name) => [name, own(value, name)]));
  const fields = config.fields?.filter(({ key }) => rest.includes(key));
  const hasRest = rest.some((name) => !isBlank(own(value, name)));
  return [
    ...(hasRest
      ? [
          {
            kind: "record" as const,
            record,
            fields: fields?.length === rest.length ? fields : undefined,
          },
        ]
      : []),
    ...lists.flatMap((name) => listParts(own(value, name) as unknown[], name, config)),
  ];
}

function listParts(
  list: readonly unknown[],
  name: string | undefined,
  config: ResultConfig,
): Part[] {
  if (list.length === 0) return [];
  const title = name === undefined ? undefined : labelOf(name, config);
  if (list.some((item) => Array.isArray(own(item, "children")))) {
    const tree = readTree(list);
    if (tree) return [{ kind: "tree", title, tree }];
  }
  const columns = own(config.columns, name ?? "") as DataTableColumn[] | undefined;
  if (list.every(isRecord)) return [{ kind: "table", title, rows: list.map(toRow), columns }];
  if (list.length <= SHORT_LIST && !list.some(isNested))
    return [{ kind: "list", title, items: [...list] }];
  const rows = list.map((value) => toRow(isRecord(value) ? value : { value }));
  return [{ kind: "table", title, rows }];
}

/** A row whose lists of plain values are written as people write them. */
function toRow(record: Fields): Fields {
  const entries = Object.entries(record);
  if (!entries.some(([, value]) => Array.isArray(value))) return record;
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const isPlain = Array.isArray(value) && !value.some(isNested);
      return [name, isPlain ? value.map(String).join(" · ") : value];
    }),
  );
}

/** In the order of the schema, then those that it does not know. */
function orderedNames(value: Fields, { fields = [] }: ResultConfig): string[] {
  const known = fields.map(({ key }) => key).filter((key) => Object.hasOwn(value, key));
  return [...new Set([...known, ...Object.keys(value)])];
}

function labelOf(name: string, { fields = [] }: ResultConfig): string {
  return fields.find(({ key }) => key === name)?.label ?? humanise(name);
}

/** A list that deserves a place of its own. */
function isLongList(value: unknown): boolean {
  return Array.isArray(value) && (value.some(isNested) || value.length > SHORT_LIST);
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
