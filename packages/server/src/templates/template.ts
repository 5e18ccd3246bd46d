import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import type { JsonSchema } from "../json-schema.ts";
import type { ViewSource } from "../view-source.ts";
import { type TemplateName, templatePage } from "./template-page.ts";

/** Options that every template has. */
export interface TemplateConfig {
  /** Heading above the View; without one the tool's title is read out, and nothing is shown. */
  title?: string;
  /** A sentence below the heading. */
  description?: string;
  /** Words of the View by their name, for other languages than English. */
  labels?: Record<string, string>;
  /** Language of title, description and labels, as a BCP 47 tag; `en` by default. */
  lang?: string;
}

/** What JSON an option takes. */
export type OptionType = "string" | "number" | "boolean" | "array" | "object" | "any";

/** A template: call it with a config and it is a View. */
export interface Template<Config extends TemplateConfig = TemplateConfig> {
  (config?: Config): ViewSource;
  /** Its name in `ui.meta.json`. */
  readonly templateName: TemplateName;
  /** Whether the View is made from what a tool takes or from what it gives. */
  readonly reads: "input" | "output";
  /** How well a schema suits it: 0 is not at all, 1 is what it was made for. */
  fit(schema: JsonSchema): number;
  /** A config for a tool of this schema: labels, columns, fields. */
  configFor(schema: JsonSchema): Config;
}

/** What a template is made of. */
export interface TemplateParts<Config extends TemplateConfig> {
  name: TemplateName;
  reads?: "input" | "output";
  /** Every option of its own, so that a misspelt one is refused instead of ignored. */
  options: { [Key in Exclude<keyof Config, keyof TemplateConfig>]-?: OptionType };
  fit(schema: JsonSchema): number;
  configFor?(schema: JsonSchema): Config;
  /** Text for the model and for hosts without Views. */
  describe(structuredContent: unknown, config: Config): string;
  /** What the View has to declare. */
  meta?(config: Config): McpUiResourceMeta | undefined;
}

/** Why a template was refused. */
export type TemplateErrorCode = "unknown-template" | "unknown-option" | "wrong-option";

/** A template that cannot be made as it was asked for. */
export class TemplateError extends Error {
  readonly code: TemplateErrorCode;

  constructor(code: TemplateErrorCode, message: string) {
    super(message);
    this.name = "TemplateError";
    this.code = code;
  }
}

const COMMON: Record<keyof TemplateConfig, OptionType> = {
  title: "string",
  description: "string",
  labels: "object",
  lang: "string",
};

/** Makes a template of its parts. */
export function defineTemplate<Config extends TemplateConfig>(
  parts: TemplateParts<Config>,
): Template<Config> {
  const { name, reads = "output", options, fit, describe, meta } = parts;
  const known = new Map<string, OptionType>(Object.entries({ ...COMMON, ...options }));
  const make = (config = {} as Config): ViewSource => {
    checkConfig(name, known, config);
    let page: string | undefined;
    const declared = meta?.(config);
    return {
      html: () => {
        page ??= templatePage(name, config);
        return page;
      },
      ...(declared && { meta: declared }),
      describe: (structuredContent) => describe(structuredContent, config),
    };
  };
  const configFor = parts.configFor ?? (() => ({}) as Config);
  return Object.assign(make, { templateName: name, reads, fit, configFor });
}

function checkConfig(name: string, known: Map<string, OptionType>, config: object): void {
  for (const [option, value] of Object.entries(config)) {
    const type = known.get(option);
    if (!type) {
      const names = [...known.keys()].join(", ");
      throw new TemplateError(
        "unknown-option",
        `The template "${name}" has no option "${option}". It has: ${names}.`,
      );
    }
    if (value !== undefined && type !== "any" && typeOf(value) !== type) {
      throw new TemplateError(
        "wrong-option",
        `Option "${option}" of the template "${name}" is ${typeOf(value)}, but it takes ${type}.`,
      );
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
