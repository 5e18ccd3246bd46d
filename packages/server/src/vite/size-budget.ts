import { gzipSync } from "node:zlib";

/** How large a View may be. */
export interface SizeBudget {
  /** Bytes after gzip; 150,000. */
  gzip?: number;
  /** Bytes as they are; 1 MiB, more than which some Hosts refuse. */
  raw?: number;
}

/** One module of a View and what it adds, before minification. */
export interface ModuleWeight {
  module: string;
  bytes: number;
}

/** Bytes of a document. */
export interface Weight {
  readonly raw: number;
  readonly gzip: number;
}

const DEFAULTS: Required<SizeBudget> = { gzip: 150_000, raw: 1_048_576 };
const shownModules = 8;

/** Weighs a document as it travels. */
export function weigh(html: string): Weight {
  const bytes = Buffer.from(html);
  let gzip: number | undefined;
  return {
    raw: bytes.length,
    // Only when it is asked for: it takes longer than all else that is done to a View at each change.
    get gzip() {
      gzip ??= gzipSync(bytes, { level: 9 }).length;
      return gzip;
    },
  };
}

/** What is over the budget, with the figure and what to look at; `undefined` if nothing is. */
export function overBudget(
  weight: Weight,
  budget: SizeBudget,
  modules: readonly ModuleWeight[],
): string | undefined {
  const kind = (["gzip", "raw"] as const).find(
    (kind) => weight[kind] > (budget[kind] ?? DEFAULTS[kind]),
  );
  if (!kind) return undefined;
  const limit = budget[kind] ?? DEFAULTS[kind];
  const largest = modules
    .slice(0, shownModules)
    .map(({ module, bytes }) => `\n  ${count(bytes).padStart(11)}  ${module}`);
  return (
    `is ${count(weight[kind])} bytes${kind === "gzip" ? " after gzip" : ""}, and its budget is ` +
    `${count(limit)}. Its largest modules, before minification:${largest.join("")}\n` +
    `Leave some of them out, or raise \`budget.${kind}\`.`
  );
}

function count(bytes: number): string {
  return bytes.toLocaleString("en");
}
