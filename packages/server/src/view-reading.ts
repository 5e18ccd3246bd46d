// What leaves when a View is read: the exact MIME type, the metadata, text or base64 (SRV-02, SRV-03,
// SRV-06). An author's callback may return anything, so each answer is looked at; the same text as
// the last time was looked at then.

import { isAppMimeType, type McpUiResourceMeta, RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";
import { fromBlob, isHtmlDocument } from "./html-document.ts";
import { isRecord, type JsonSchema } from "./json-schema.ts";
import { type DeclarationOptions, normaliseResourceMeta } from "./ui-metadata.ts";
import { warnOfOrigins } from "./view-origins.ts";
import type { Warn } from "./warnings.ts";

/** Of which View, and how strictly. */
export interface ReadingOptions extends DeclarationOptions {
  uri: string;
  /** As listed; the metadata of an item overrides it (SRV-07). */
  meta: McpUiResourceMeta;
  strict?: boolean | undefined;
  warn: Warn;
}

/** Completes what was read. */
export type Reading = (result: unknown) => unknown;

/** Makes the completion for one View. */
export function createReading(options: ReadingOptions): Reading {
  const { uri } = options;
  let last: { item: JsonSchema; completed: JsonSchema } | undefined;
  return (result) => {
    // A result that asks for input first has no contents.
    if (isRecord(result) && result.resultType === "input_required") return result;
    const contents = isRecord(result) ? result.contents : undefined;
    const items = Array.isArray(contents) ? contents.filter(isRecord) : [];
    const own = items.filter((item) => item.uri === undefined || item.uri === uri);
    const [item] = own;
    if (!item || own.length > 1) {
      const found = items.map((one) => JSON.stringify(one.uri)).join(", ") || "nothing";
      throw serverError("bad-content", `${uri} was ${found}, and not one item of that address`);
    }
    if (!last || !isSame(last.item, item)) last = { item, completed: complete(item, options) };
    const { completed } = last;
    return {
      ...(result as object),
      contents: items.map((one) => (one === item ? completed : one)),
    };
  };
}

function isSame(one: JsonSchema, other: JsonSchema): boolean {
  return (
    one.text === other.text &&
    one.blob === other.blob &&
    one._meta === other._meta &&
    one.mimeType === other.mimeType
  );
}

function complete(item: JsonSchema, options: ReadingOptions): JsonSchema {
  const { uri } = options;
  if (item.mimeType !== undefined && !isAppMimeType(item.mimeType)) {
    throw serverError("wrong-mime-type", `${uri}: ${JSON.stringify(item.mimeType)}`);
  }
  const html = htmlOf(item, uri);
  const { _meta } = item;
  const said = isRecord(_meta) ? _meta.ui : undefined;
  const ui = said === undefined ? options.meta : normaliseResourceMeta(uri, said, options);
  judgeDocument(html, ui, options);
  const hasMeta = isRecord(_meta) || Object.keys(ui).length > 0;
  return {
    ...item,
    uri,
    mimeType: RESOURCE_MIME_TYPE,
    ...(hasMeta && { _meta: { ...(_meta as object | undefined), ui } }),
  };
}

function htmlOf({ text, blob }: JsonSchema, uri: string): string {
  const isOne = (typeof text === "string") !== (typeof blob === "string");
  const html = typeof text === "string" ? text : fromBlob(String(blob));
  if (!isOne || !html) {
    const fault = isOne ? "is empty, or no base64 of UTF-8" : "has not either text or blob";
    throw serverError("bad-content", `${uri} ${fault}`);
  }
  return html;
}

/** SRV-04 and SRV-18, for a document that is about to be delivered. */
export function judgeDocument(
  html: string,
  meta: McpUiResourceMeta,
  { uri, strict, warn }: Pick<ReadingOptions, "uri" | "strict" | "warn">,
): void {
  if (!isHtmlDocument(html)) {
    const error = serverError("not-html", uri);
    if (strict) throw error;
    warn({ code: "not-html", about: uri, message: error.message });
  }
  warnOfOrigins(html, meta, { uri, warn });
}
