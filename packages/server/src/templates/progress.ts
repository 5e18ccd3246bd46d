import { readSchema } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { amount, anything, either, flag, list, record, text, tool } from "./option.ts";
import { progressIn } from "./progress-state.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";

/** Work that takes a while: how far it is, and a way to stop it. */
export interface ProgressConfig extends TemplateConfig {
  /** Whether the percentage is shown next to the bar; true by default. */
  showPercentage?: boolean;
  /** Whether the current and earlier steps are shown; true by default. */
  showCurrentStep?: boolean;
  /** A tool that stops the work; without one there is no button. */
  cancelTool?: string;
  /** Arguments for it. */
  cancelArgs?: Record<string, unknown>;
  /** The question to confirm the cancellation; `false` asks nothing. */
  cancelConfirm?: string | boolean;
  /** A tool that tells how far the work is; called again and again until it is over. */
  pollTool?: string;
  /** Arguments for it. */
  pollArgs?: Record<string, unknown>;
  /** Milliseconds between two calls; 2,000 by default, and never below 250. */
  pollInterval?: number;
  /** Properties of the first result, or of the tool's input, that both tools get too: the name of the job. */
  passOn?: string[];
}

const NAMES = /^(percent|percentage|progress|progressPercent)$/;

/** Shows how far a piece of work is. */
export const progress: Template<ProgressConfig> = defineTemplate<ProgressConfig>({
  name: "progress",
  options: {
    showPercentage: flag("Whether the percentage is shown next to the bar; true by default."),
    showCurrentStep: flag("Whether the current and earlier steps are shown; true by default."),
    cancelTool: tool("A tool that stops the work; without one there is no button."),
    cancelArgs: record(anything("A value."), "Arguments for cancelTool."),
    cancelConfirm: either(
      text("The question."),
      flag("false asks nothing."),
      "The question to confirm the cancellation.",
    ),
    pollTool: tool("A tool that reports progress; called repeatedly until the work ends."),
    pollArgs: record(anything("A value."), "Arguments for pollTool."),
    pollInterval: amount("Milliseconds between two calls; 2,000 by default, at least 250.", {
      minimum: 0,
    }),
    passOn: list(
      text("A property."),
      "Properties of the first result, or of the tool's input, that both tools get too.",
    ),
  },
  fit: (schema) => {
    const properties = readSchema(schema).properties();
    const isTold = properties.some(
      ({ name, node }) => NAMES.test(name) && (node.type === "number" || node.type === "integer"),
    );
    if (!isTold) return 0;
    const isNamed = properties.some(({ name }) => /^(status|state|step|currentStep)$/.test(name));
    return isNamed ? 0.9 : 0.6;
  },
  describe: (structuredContent, { title }) => {
    const state = progressIn(structuredContent);
    if (!state) return textFallback(structuredContent, { title });
    const { status, percent, step, error } = state;
    const share = percent === undefined ? "" : `, ${Math.round(percent)} %`;
    const now = error ?? step;
    const text = `${title ?? "Progress"}: ${status}${share}${now === undefined ? "" : ` (${now})`}`;
    return textFallback(text);
  },
});
