import { isScalar, readSchema } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { amount, flag, list, object, required, text } from "./option.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";
import { type ValueFormat, valueFormat } from "./value-format.ts";

/** A property that is shown. */
export interface DetailField {
  /** Its name in the object. */
  key: string;
  /** By default the key in words. */
  label?: string;
  /** How its value is written; by default as what it is, by the Host's locale. */
  format?: ValueFormat;
}

/** One object as a card: its properties, and what is nested in them. */
export interface DetailConfig extends TemplateConfig {
  /** Properties in their order; by default all, in theirs. */
  fields?: DetailField[];
  /** Properties that are not shown, at any depth. */
  exclude?: string[];
  /** The property whose value heads the card. */
  titleKey?: string;
  /** Whether properties without a value are left out; false by default. */
  hideEmpty?: boolean;
  /** How many levels of nested objects are open at first; 2 by default. */
  expandLevel?: number;
}

/** Shows one object. */
export const detail: Template<DetailConfig> = defineTemplate<DetailConfig>({
  name: "detail",
  options: {
    fields: list(
      object<DetailField>(
        {
          key: required(text("Its name in the object.")),
          label: text("By default the key in words."),
          format: valueFormat("How its value is written; by default by its kind."),
        },
        "A property that is shown.",
      ),
      "Properties in their order; by default all, in theirs.",
    ),
    exclude: list(text("A property."), "Properties that are not shown, at any depth."),
    titleKey: text("The property whose value heads the card."),
    hideEmpty: flag("Whether properties without a value are left out; false by default."),
    expandLevel: amount("How many levels of nested objects are open at first; 2 by default.", {
      minimum: 0,
    }),
  },
  fit: (schema) => {
    const node = readSchema(schema);
    const properties = node.properties();
    if (properties.length === 0) return node.type === "object" ? 0.2 : 0;
    const scalars = properties.filter(({ node }) => isScalar(node)).length;
    return 0.3 + (0.3 * scalars) / properties.length;
  },
  configFor: (schema) => {
    const fields = readSchema(schema).properties();
    return {
      fields: fields.map(({ name, label, node }) => ({
        key: name,
        label,
        ...(node.format === "date" && { format: "date" as const }),
        ...(node.format === "date-time" && { format: "datetime" as const }),
      })),
    };
  },
  describe: (structuredContent, { title, fields }) => {
    const titles = fields?.map(({ key, label }) => [
      key,
      label === undefined ? {} : { title: label },
    ]);
    const schema = titles && { type: "object", properties: Object.fromEntries(titles) };
    return textFallback(structuredContent, { title, schema });
  },
});
