import { type Decision, refuse } from "./decision.ts";
import { type CopyFailureCode, copyJson, type JsonLimits } from "./json-copy.ts";
import { DOWNLOAD_FILE_METHOD, LOGGING_MESSAGE_METHOD, OPEN_LINK_METHOD } from "./method-names.ts";
import { describeLimit, formatPath } from "./mismatch.ts";

const mebi = 2 ** 20;

/** Upper bounds that hold for every View. */
export interface Limits {
  /** A message of a View. */
  fromView: JsonLimits;
  /** A message to a View; results of Servers are larger than a View's messages. */
  toView: JsonLimits;
  /** Characters of a URL in `ui/open-link`. */
  link: number;
  /** Pixels of a frame along one axis. */
  axis: number;
  /** Characters of a download's file name. */
  fileName: number;
}

/** The defaults; a Host may be stricter. */
export const LIMITS: Limits = {
  fromView: { depth: 64, values: 100_000, size: mebi },
  toView: { depth: 64, values: 1_000_000, size: 10 * mebi },
  link: 2048,
  axis: 10_000,
  fileName: 120,
};

// Methods of a View with a reason for another size than the rest.
const sizes: ReadonlyMap<string, number> = new Map([
  [DOWNLOAD_FILE_METHOD, 4 * mebi],
  [OPEN_LINK_METHOD, 4096],
  [LOGGING_MESSAGE_METHOD, 8192],
]);

/** The bounds for one message. */
export function limitsFor(from: "view" | "host", method?: string): JsonLimits {
  if (from === "host") return LIMITS.toView;
  return { ...LIMITS.fromView, size: sizes.get(method ?? "") ?? LIMITS.fromView.size };
}

/** Decides whether a message is small enough to be read; stops counting at the limit. */
export function decideSize(
  message: unknown,
  limits: JsonLimits,
): Decision<CopyFailureCode, { size: number }> {
  const copy = copyJson(message, limits);
  if (copy.ok) return { allow: true, size: copy.size };
  const where = formatPath("message", copy.path);
  return refuse(
    copy.code,
    `${where}: needs ${describeLimit(copy.code, limits)}; send less at once.`,
  );
}

/** The largest frame a Host is willing to show. */
export interface Box {
  maxWidth?: number;
  maxHeight?: number;
}

/** Keeps a reported size within a box; an axis without a positive number is left out (HST-56). */
export function clampSize(
  size: { width?: unknown; height?: unknown },
  box: Box = {},
): { width?: number; height?: number } {
  const width = clampAxis(size.width, box.maxWidth);
  const height = clampAxis(size.height, box.maxHeight);
  return { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
}

function clampAxis(value: unknown, max: number = LIMITS.axis): number | undefined {
  // Infinity is ignored, not clamped: a View that reports it has no size, not a large one.
  if (!Number.isFinite(value) || (value as number) < 0) return undefined;
  return Math.min(value as number, max, LIMITS.axis);
}
