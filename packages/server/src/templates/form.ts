import { isScalar, readSchema } from "../json-schema.ts";
import { labelOf } from "../key-label.ts";
import { textFallback } from "../text-fallback.ts";
import { FORM_FIELD, type FormField, fieldsFrom } from "./form-fields.ts";
import { anything, flag, list, record, reference, text, tool } from "./option.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";

/** A form whose values go to a tool. */
export interface FormConfig extends TemplateConfig {
  /** Fields in their order; `fieldsFrom(schema)` makes them of a tool's input schema. */
  fields?: FormField[];
  /** The tool that gets the values; without one they are sent as a message to the conversation. */
  submitTool?: string;
  /** More arguments for it; a field of the same name overrides them. */
  submitArgs?: Record<string, unknown>;
  /** The verb on the button; by default the name of the tool in words. */
  submitLabel?: string;
  /** Whether there is a button to give up; false by default. */
  cancelable?: boolean;
}

/** Asks for values and submits them to a tool. */
export const form: Template<FormConfig> = defineTemplate<FormConfig>({
  name: "form",
  reads: "input",
  options: {
    fields: list(reference<FormField>("field"), "Fields in their order."),
    submitTool: tool("The tool that gets the values; without one they are sent as a message."),
    submitArgs: record(
      anything("A value."),
      "More arguments; a field of the same name overrides them.",
    ),
    submitLabel: text("The verb on the button; by default the name of the tool in words."),
    cancelable: flag("Whether there is a button to give up; false by default."),
  },
  definitions: { field: FORM_FIELD.schema },
  fit: (schema) => {
    const properties = readSchema(schema).properties();
    if (properties.length === 0) return 0;
    const plain = properties.filter(({ node }) => isScalar(node)).length;
    return plain === properties.length ? 0.8 : (0.6 * plain) / properties.length;
  },
  configFor: (schema) => ({ fields: fieldsFrom(schema) }),
  describe: (structuredContent, { title, fields = [] }) => {
    const lines = fields.map(({ name, label, required, type = "text" }) => {
      const facts = [type, ...(required ? ["required"] : [])].join(", ");
      return `- ${labelOf(name, label)} (${facts})`;
    });
    const asked = ["A form for the user to fill in:", ...lines].join("\n");
    const given = textFallback(structuredContent, { title });
    return given ? `${given}\n\n${asked}` : asked;
  },
});
