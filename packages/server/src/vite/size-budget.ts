import { gzipSync } from "node:zlib";

/** Maximum size of a view. */
export interface SizeBudget {
  /** Bytes after gzip; 150,000. */
  gzip?: number;
  /** Bytes uncompressed; 1 MiB, because some hosts reject more. */
  raw?: number;
}

/** One module of a view and its size before minification. */
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

/** Measures a document as it is transferred. */
export function weigh(html: string): Weight {
  const bytes = Buffer.from(html);
  let gzip: number | undefined;
  return {
    raw: bytes.length,
    // Only on request: it takes longer than everything else at each change.
    get gzip() {
      gzip ??= gzipSync(bytes, { level: 9 }).length;
      return gzip;
    },
  };
}

/** The exceeded budget, with the figure and the largest modules; `undefined` if none is. */
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
    `is ${count(weight[kind])} bytes${kind === "gzip" ? " after gzip" : ""}, but its budget is ` +
    `${count(limit)}. Its largest modules, before minification:${largest.join("")}\n` +
    `Remove some of them, or raise \`budget.${kind}\`.`
  );
}

function count(bytes: number): string {
  return bytes.toLocaleString("en");
}
