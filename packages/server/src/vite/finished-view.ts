// Checks a finished document before it is written: a view is one file whose policy lets it load
// nothing, so everything it still needs from elsewhere gives users a blank frame.

import type { McpUiResourceCsp } from "@vitrine/protocol/apps";
import { collectOrigins, undeclared } from "./external-origins.ts";
import { type ScannedTag, scanTags } from "./html-scan.ts";
import type { ScannedScript } from "./script-scan.ts";
import {
  type ModuleWeight,
  overBudget,
  type SizeBudget,
  type Weight,
  weigh,
} from "./size-budget.ts";

/** A module in the view. */
export interface RenderedModule {
  module: string;
  code: string;
}

/** Options of the checks. */
export interface ViewDemands {
  budget: SizeBudget | false;
  /** Packages whose `eval` and `Function` are allowed. */
  dynamicCode: readonly string[];
  /** The resource's declarations, if the build should compare them. */
  csp?: McpUiResourceCsp | undefined;
  /** The script made only of the modules, if those are to be read instead. */
  bundled?: BundledScript | undefined;
  scan(code: string): ScannedScript | undefined;
}

/** The bundler's output for the modules. */
export interface BundledScript {
  code: string;
  /** Its remaining imports. */
  imports: readonly string[];
}

/** A build's report about one view. */
export interface ViewReport {
  name: string;
  /** Where it was written. */
  file: string;
  weight: Weight;
  /** Largest first. */
  modules: readonly ModuleWeight[];
  /** What to declare as `_meta.ui.csp`: the origins in its markup, styles and calls. */
  csp: McpUiResourceCsp;
  /** Origins that a script mentions for an unknown purpose. */
  mentioned: readonly string[];
  warnings: readonly string[];
}

/** The report without its path, and the reasons not to write the view. */
export interface Judgement extends Omit<ViewReport, "name" | "file"> {
  errors: readonly string[];
}

// Tries `Function` once and continues without it.
const PROBING = ["zod"];
const RESOURCES: Record<string, readonly string[]> = {
  img: ["src"],
  source: ["src"],
  video: ["src", "poster"],
  audio: ["src"],
  track: ["src"],
  object: ["data"],
  embed: ["src"],
};

/** Checks a document. */
export function judgeView(
  html: string,
  rendered: readonly RenderedModule[],
  demands: ViewDemands,
): Judgement {
  const tags = scanTags(html);
  const weight = weigh(html);
  const modules = rendered
    .map(({ module, code }) => ({ module, bytes: Buffer.byteLength(code) }))
    .sort((a, b) => b.bytes - a.bytes);
  const errors = [...leftovers(tags)];
  const warnings: string[] = [];
  if (!/^\s*<!doctype html/i.test(html)) {
    errors.push('has no "<!doctype html>"; hosts may reject a fragment.');
  }
  const scripts = scriptsOf(tags, rendered, { ...demands, errors });
  const dynamic = dynamicCode(scripts, rendered, demands);
  errors.push(...dynamic.errors);
  warnings.push(...dynamic.warnings);
  const tooLarge = demands.budget && overBudget(weight, demands.budget, modules);
  if (tooLarge) errors.push(tooLarge);
  const { csp, mentioned, refused } = collectOrigins(tags, scripts);
  for (const { url, reason } of refused)
    warnings.push(`uses ${url}, which no host grants: ${reason}`);
  if (demands.csp) {
    for (const origin of undeclared(csp, demands.csp))
      warnings.push(`uses ${origin} without declaring it.`);
  }
  return { weight, modules, csp, mentioned, errors, warnings };
}

/** Files that the document would load by a relative path, or code from elsewhere. */
function* leftovers(tags: readonly ScannedTag[]): Iterable<string> {
  for (const { name, attributes } of tags) {
    const src = attributes.get("src");
    if (name === "script" && src !== undefined) {
      yield `still loads the script ${src}. Import it from a module, so that it becomes part of the file.`;
    }
    const rel = attributes.get("rel")?.toLowerCase() ?? "";
    if (name === "link" && /\b(?:stylesheet|modulepreload|preload)\b/.test(rel)) {
      yield `still loads ${attributes.get("href")} (${rel}). Import it from a module, so that it becomes part of the file.`;
    }
    for (const attribute of RESOURCES[name] ?? []) {
      const url = attributes.get(attribute);
      if (url && !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(url)) {
        yield `refers to the file ${url}, but a view has no other files. Import it, or write a path that Vite can resolve; files of the public folder aren't included.`;
      }
    }
  }
}

function scriptsOf(
  tags: readonly ScannedTag[],
  rendered: readonly RenderedModule[],
  { bundled, scan, errors }: Pick<ViewDemands, "bundled" | "scan"> & { errors: string[] },
): ScannedScript[] {
  return tags.flatMap(({ name, attributes, text = "" }) => {
    const type = attributes.get("type")?.toLowerCase() ?? "";
    const isCode = name === "script" && /^(?:|module|(?:text|application)\/javascript)$/.test(type);
    if (!isCode || text.trim() === "") return [];
    const isBundled = text.trim() === bundled?.code.trim();
    const read = isBundled ? rendered.map(({ code }) => scan(code)) : [scan(text)];
    const scanned = read.filter((one) => one !== undefined);
    if (scanned.length < read.length) {
      errors.push(`has a script with a syntax error: ${JSON.stringify(text.slice(0, 60))}.`);
    }
    const imports = isBundled ? bundled?.imports : scanned[0]?.imports;
    for (const source of imports ?? []) {
      errors.push(`still imports ${source}. Bundle it: a view can't load modules.`);
    }
    return scanned;
  });
}

function dynamicCode(
  scripts: readonly ScannedScript[],
  rendered: readonly RenderedModule[],
  { dynamicCode: allowed, scan }: ViewDemands,
): { errors: string[]; warnings: string[] } {
  const kinds = new Set(scripts.flatMap(({ dynamicCode }) => [...dynamicCode]));
  const errors: string[] = [];
  const warnings: string[] = [];
  const suspects = rendered.filter(({ code }) =>
    /\beval\b|\bFunction\b|\bset(?:Timeout|Interval)\b|\bimport\b/.test(code),
  );
  for (const kind of kinds) {
    const owners = suspects
      .filter(({ code }) => scan(code)?.dynamicCode.has(kind))
      .map(({ module }) => module);
    const isAllowed = (module: string): boolean =>
      [...PROBING, ...allowed].some((name) => module.startsWith(`${name}/`));
    const free = owners.length > 0 && owners.every(isAllowed);
    const where = owners.length > 0 ? owners.join(", ") : "a script of the page";
    const sentence = `runs text as code (${kind}) in ${where}, which the policy of views forbids.`;
    if (free) warnings.push(sentence);
    else
      errors.push(
        `${sentence} Replace it, or add the package to \`dynamicCode\` if it works without.`,
      );
  }
  return { errors, warnings };
}
