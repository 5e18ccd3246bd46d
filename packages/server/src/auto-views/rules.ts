import type { Tool } from "@vitrine/protocol/apps";
import { type TemplateConfig, type TemplateName, template } from "../templates/index.ts";
import { chooseView, type ToolView } from "./tool-view.ts";

/** The tools of a rule: one name, a pattern for names, or a function. */
export type ToolMatch = string | RegExp | ((tool: Tool) => boolean);

/** What matching tools get. */
export interface ToolRule {
  // Not `match`, which the string "auto" has as well: then no function's argument would have a type.
  /** The tools it applies to. */
  tools: ToolMatch;
  /** A template by name; `"auto"` chooses by the tool's schemas, `"none"` gives no view. */
  template: TemplateName | "auto" | "none";
  /** Options of the template, if the rule names one. */
  config?: TemplateConfig & Record<string, unknown>;
  /**
   * For `"auto"`: whether the view has a form to call the tool again; by default if that is harmless.
   */
  again?: boolean;
}

/**
 * The first matching rule applies; `"auto"` matches every tool. Without a match a tool stays
 * unchanged.
 */
export type AutoViewRule = ToolRule | "auto";

/** The view that the rules give a tool, and whether a rule named its template. */
export interface RuledView extends ToolView {
  named: boolean;
}

/** Throws for an impossible rule: rules are the operator's own, so mistakes are reported at once. */
export function checkRules(rules: readonly AutoViewRule[]): void {
  for (const { template: name, config } of rules.map(toRule)) {
    if (name !== "auto" && name !== "none") template(name, config);
  }
}

/** The view for a tool, if it gets one. */
export function viewByRule(tool: Tool, rules: readonly AutoViewRule[]): RuledView | undefined {
  const rule = rules.map(toRule).find(({ tools }) => matches(tool, tools));
  const { template = "none", config = {}, again } = rule ?? {};
  if (template === "none") return undefined;
  if (template === "auto") return { ...chooseView(tool, again), named: false };
  return { template, config, named: true };
}

function toRule(rule: AutoViewRule): ToolRule {
  return rule === "auto" ? { tools: /^/, template: "auto" } : rule;
}

function matches(tool: Tool, match: ToolMatch): boolean {
  if (typeof match === "string") return tool.name === match;
  if (typeof match === "function") return match(tool);
  // A pattern with the flag `g` keeps its position, and would skip every second tool.
  return new RegExp(match.source, match.flags.replace(/[gy]/g, "")).test(tool.name);
}
