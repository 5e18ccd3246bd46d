// The JSON Schemas that editors and models read, made from the same descriptions that validate options.
// `npm run schemas` writes them to packages/server/schema.

import { BLOCK_DEFINITIONS } from "./block-options.ts";
import { TEMPLATES } from "./index.ts";
import type { OptionSchema } from "./option.ts";

type Json = Record<string, unknown>;

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** The schema of `ui.meta.json`: what is written in the file, and the options of every template. */
export function uiMetaSchema(written: Json): Json {
  const { domains } = written.$defs as Json;
  const names = [...TEMPLATES.keys()];
  const configs = [...TEMPLATES].map(([name, { schema }]) => [`${name}-config`, schema]);
  const { properties } = written as { properties: Record<string, Json> };
  return published({
    ...written,
    properties: { ...properties, template: { ...properties.template, enum: names } },
    allOf: names.map((name) => ({
      if: { properties: { template: { const: name } }, required: ["template"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { config: { $ref: `#/$defs/${name}-config` } } },
    })),
    $defs: { domains, ...Object.fromEntries(configs), ...namedBlocks() },
  });
}

/** The schema of a document of blocks, as a result contains it. */
export function pageSchema(): Json {
  return published({
    $schema: DRAFT,
    $id: "https://vitrine.dev/schema/page.schema.json",
    title: "A page of blocks",
    description: "An interface as data. Properties other than these are data that blocks point to.",
    type: "object",
    properties: {
      title: { type: "string", description: "Heading of the page." },
      description: { type: "string", description: "A sentence below the heading." },
      blocks: { type: "array", items: { $ref: "#/$defs/block" } },
    },
    required: ["blocks"],
    $defs: namedBlocks(),
  });
}

/** Without the format "tool", which is our own: strict validators reject formats that they don't know. */
function published(schema: Json): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === "format" && value === "tool" ? undefined : value,
    ),
  );
}

/** Definitions with a name for each block, so that editors show it. */
function namedBlocks(): Record<string, OptionSchema> {
  const { block, ...others } = BLOCK_DEFINITIONS;
  const named = (block?.anyOf ?? []).map(
    (schema) => [`${schema.properties?.type?.const}-block`, schema] as const,
  );
  return {
    block: { anyOf: named.map(([name]) => ({ $ref: `#/$defs/${name}` })) },
    ...Object.fromEntries(named),
    ...others,
  };
}
