// What is said of a finished document before it is written: a View is one file under a policy that
// lets it load nothing, so whatever it still wants from elsewhere is a blank frame at somebody's.

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

/** A module as it went into the View. */
export interface RenderedModule {
  module: string;
  code: string;
}

/** What is asked of a View. */
export interface ViewDemands {
  budget: SizeBudget | false;
  /** Packages whose `eval` and `Function` are let pass. */
  dynamicCode: readonly string[];
  /** What the View's resource declares, if the build is to compare. */
  csp?: McpUiResourceCsp | undefined;
  /** The script that is nothing but the modules, if those are to be read in its place. */
  bundled?: BundledScript | undefined;
  scan(code: string): ScannedScript | undefined;
}

/** What a bundler made of the modules. */
export interface BundledScript {
  code: string;
  /** What it still imports. */
  imports: readonly string[];
}

/** What a build says of one View. */
export interface ViewReport {
  name: string;
  /** Where it was written. */
  file: string;
  weight: Weight;
  /** Largest first. */
  modules: readonly ModuleWeight[];
  /** What to declare as `_meta.ui.csp`: the origins that its markup, styles and calls name. */
  csp: McpUiResourceCsp;
  /** Origins that stand in a script for an unknown purpose. */
  mentioned: readonly string[];
  warnings: readonly string[];
}

/** The report without where, and what forbids to write the View. */
export interface Judgement extends Omit<ViewReport, "name" | "file"> {
  errors: readonly string[];
}

// Tries `Function` once and goes on without where it is refused.
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

/** Judges a document. */
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
    errors.push('has no "<!doctype html>"; Hosts may refuse a fragment.');
  }
  const scripts = scriptsOf(tags, rendered, { ...demands, errors });
  const dynamic = dynamicCode(scripts, rendered, demands);
  errors.push(...dynamic.errors);
  warnings.push(...dynamic.warnings);
  const tooLarge = demands.budget && overBudget(weight, demands.budget, modules);
  if (tooLarge) errors.push(tooLarge);
  const { csp, mentioned, refused } = collectOrigins(tags, scripts);
  for (const { url, reason } of refused)
    warnings.push(`reaches for ${url}, which no Host grants: ${reason}`);
  if (demands.csp) {
    for (const origin of undeclared(csp, demands.csp))
      warnings.push(`uses ${origin} without declaring it.`);
  }
  return { weight, modules, csp, mentioned, errors, warnings };
}

/** What the document would load from beside itself, or as code from elsewhere. */
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
        yield `refers to the file ${url}, and nothing is served beside a View. Import it, or write a path that Vite can follow; files of the public folder stay behind.`;
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
      errors.push(`has a script that is none: ${JSON.stringify(text.slice(0, 60))}.`);
    }
    const imports = isBundled ? bundled?.imports : scanned[0]?.imports;
    for (const source of imports ?? []) {
      errors.push(`still imports ${source}. Bundle it: a View can load no module.`);
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
    const sentence = `runs text as code (${kind}) in ${where}, which the policy of a View forbids.`;
    if (free) warnings.push(sentence);
    else
      errors.push(
        `${sentence} Replace it, or name the package in \`dynamicCode\` if it gets along without.`,
      );
  }
  return { errors, warnings };
}
