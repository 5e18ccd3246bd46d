import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import type { JsonSchema } from "../json-schema.ts";
import type { ViewSource } from "../view-source.ts";
import { type OptionSchema, type Options, objectSchema, record, text } from "./option.ts";
import { checkOption } from "./option-check.ts";
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

/** A template: call it with a config to get a view. */
export interface Template<Config extends TemplateConfig = TemplateConfig> {
  (config?: Config): ViewSource;
  /** Its name in `ui.meta.json`. */
  readonly templateName: TemplateName;
  /** Whether the view is made from a tool's input or its output. */
  readonly reads: "input" | "output";
  /** The schema of its config, and what that refers to. */
  readonly schema: OptionSchema;
  readonly definitions: Readonly<Record<string, OptionSchema>>;
  /** How well a schema fits: 0 is not at all, 1 is a perfect fit. */
  fit(schema: JsonSchema): number;
  /** A config for a tool of this schema: labels, columns, fields. */
  configFor(schema: JsonSchema): Config;
}

/** The parts of a template. */
export interface TemplateParts<Config extends TemplateConfig> {
  name: TemplateName;
  reads?: "input" | "output";
  /** All its own options, so that a misspelt or wrong one is rejected instead of ignored. */
  options: Options<Omit<Config, keyof TemplateConfig>>;
  /** Schemas that options refer to. */
  definitions?: Readonly<Record<string, OptionSchema>>;
  fit(schema: JsonSchema): number;
  configFor?(schema: JsonSchema): Config;
  /** Text for the model and for hosts without views. */
  describe(structuredContent: unknown, config: Config): string;
  /** Rejects a config that only its schema allows. */
  check?(config: Config): void;
  /** The page, if it isn't the view of the template's name. */
  html?(config: Config): string;
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

const COMMON: Options<TemplateConfig> = {
  title: text("Heading above the view."),
  description: text("A sentence below the heading."),
  labels: record(text("The text."), "Texts of the view by name, for other languages than English."),
  lang: text("Language of title, description and labels, as a BCP 47 tag; en by default."),
};

/** Creates a template from its parts. */
export function defineTemplate<Config extends TemplateConfig>(
  parts: TemplateParts<Config>,
): Template<Config> {
  const { name, reads = "output", options, definitions = {}, fit, describe, meta } = parts;
  const schema = objectSchema({ ...COMMON, ...options });
  const make = (config = {} as Config): ViewSource => {
    checkConfig(config, { name, schema, definitions });
    parts.check?.(config);
    let page: string | undefined;
    const declared = meta?.(config);
    return {
      html: () => {
        page ??= parts.html?.(config) ?? templatePage(name, config);
        return page;
      },
      ...(declared && { meta: declared }),
      describe: (structuredContent) => describe(structuredContent, config),
    };
  };
  const configFor = parts.configFor ?? (() => ({}) as Config);
  const facts = { templateName: name, reads, schema, definitions };
  return Object.assign(make, { ...facts, fit, configFor });
}

function checkConfig(
  config: object,
  { name, schema, definitions }: Pick<Template, "schema" | "definitions"> & { name: string },
): void {
  for (const { code, at, problem } of checkOption(config, schema, "", { defs: definitions })) {
    throw new TemplateError(code, `Option "${at}" of the template "${name}" ${problem}.`);
  }
}
