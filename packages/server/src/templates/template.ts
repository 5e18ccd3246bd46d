import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import type { JsonSchema } from "../json-schema.ts";
import type { ViewSource } from "../view-source.ts";
import { type TemplateName, templatePage } from "./template-page.ts";

/** Options that every template has. */
export interface TemplateConfig {
  /** Heading above the view; without one the tool's title is announced but not shown. */
  title?: string;
  /** A sentence below the heading. */
  description?: string;
  /** Texts of the view by name, for languages other than English. */
  labels?: Record<string, string>;
  /** Language of title, description and labels, as a BCP 47 tag; `en` by default. */
  lang?: string;
}

/** The JSON type of an option. */
export type OptionType = "string" | "number" | "boolean" | "array" | "object" | "any";

/** A template: call it with a config to get a view. */
export interface Template<Config extends TemplateConfig = TemplateConfig> {
  (config?: Config): ViewSource;
  /** Its name in `ui.meta.json`. */
  readonly templateName: TemplateName;
  /** Whether the view is made from a tool's input or its output. */
  readonly reads: "input" | "output";
  /** How well a schema fits: 0 is not at all, 1 is a perfect fit. */
  fit(schema: JsonSchema): number;
  /** A config for a tool of this schema: labels, columns, fields. */
  configFor(schema: JsonSchema): Config;
}

/** The parts of a template. */
export interface TemplateParts<Config extends TemplateConfig> {
  name: TemplateName;
  reads?: "input" | "output";
  /** All its own options, so that a misspelt one is rejected instead of ignored. */
  options: { [Key in Exclude<keyof Config, keyof TemplateConfig>]-?: OptionType };
  fit(schema: JsonSchema): number;
  configFor?(schema: JsonSchema): Config;
  /** Text for the model and for hosts without views. */
  describe(structuredContent: unknown, config: Config): string;
  /** The view's declarations. */
  meta?(config: Config): McpUiResourceMeta | undefined;
}

/** Why a template was rejected. */
export type TemplateErrorCode = "unknown-template" | "unknown-option" | "wrong-option";

/** A template whose config is invalid. */
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

/** Creates a template from its parts. */
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
        `The template "${name}" has no option "${option}". Choose from: ${names}.`,
      );
    }
    if (value !== undefined && type !== "any" && typeOf(value) !== type) {
      throw new TemplateError(
        "wrong-option",
        `Option "${option}" of the template "${name}" is ${typeOf(value)} instead of ${type}.`,
      );
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
