import type { Tool } from "@vitrine/protocol/apps";
import { type TemplateConfig, type TemplateName, template } from "../templates/index.ts";
import { chooseView, type ToolView } from "./tool-view.ts";

/** Which tools a rule is for: one by its name, all whose name matches, or what a function says. */
export type ToolMatch = string | RegExp | ((tool: Tool) => boolean);

/** What tools get that match. */
export interface ToolRule {
  // Not `match`, which the string "auto" has as well: then no function's argument would have a type.
  /** The tools it is for. */
  tools: ToolMatch;
  /** A template by its name; `"auto"` chooses by what the tool says of itself, `"none"` gives no View. */
  template: TemplateName | "auto" | "none";
  /** Options of the template, where the rule names one. */
  config?: TemplateConfig;
  /** Of `"auto"`: whether the View has a form to call the tool again; by default if that is harmless. */
  again?: boolean;
}

/** The first rule that matches counts; `"auto"` matches every tool. Without one a tool stays as it is. */
export type AdornRule = ToolRule | "auto";

/** The View that rules give a tool, and whether a rule named its template. */
export interface RuledView extends ToolView {
  named: boolean;
}

/** Refuses what can never be made: a rule is its operator's own, and its mistake is told at once. */
export function checkRules(rules: readonly AdornRule[]): void {
  for (const { template: name, config } of rules.map(toRule)) {
    if (name !== "auto" && name !== "none") template(name, config);
  }
}

/** The View for a tool, if there is to be one. */
export function viewByRule(tool: Tool, rules: readonly AdornRule[]): RuledView | undefined {
  const rule = rules.map(toRule).find(({ tools }) => matches(tool, tools));
  const { template = "none", config = {}, again } = rule ?? {};
  if (template === "none") return undefined;
  if (template === "auto") return { ...chooseView(tool, again), named: false };
  return { template, config, named: true };
}

function toRule(rule: AdornRule): ToolRule {
  return rule === "auto" ? { tools: /^/, template: "auto" } : rule;
}

function matches(tool: Tool, match: ToolMatch): boolean {
  if (typeof match === "string") return tool.name === match;
  if (typeof match === "function") return match(tool);
  // One with the flag `g` remembers where it was, and would skip every second tool.
  return new RegExp(match.source, match.flags.replace(/[gy]/g, "")).test(tool.name);
}
