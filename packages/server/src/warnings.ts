/** What works and yet is not what its author means, most likely. */
export type ServerWarningCode =
  | "border-unsaid" // SRV-09
  | "not-html" // SRV-04, where reading is not strict
  | "origin-undeclared" // SRV-18
  | "result-empty" // SRV-13
  | "result-useless" // SRV-12
  | "view-kept" // a View's file is away, empty or no document; the last good one is served
  | "version-unknown" // an older View that nobody kept
  | "version-lost" // the store of versions failed
  | "extension-unsaid" // SRV-20: registered after the server connected
  | "start-refused"; // SRV-05: thrown as well, where the SDK tells nobody unless it was given onerror

/** A warning for the author of a server. */
export interface ServerWarning {
  code: ServerWarningCode;
  /** The tool or the address it is about. */
  about: string;
  /** What is wrong, and what to do. */
  message: string;
}

/** Hears warnings. */
export type Warn = (warning: ServerWarning) => void;

interface ProcessLike {
  env?: Record<string, string | undefined>;
  emitWarning?(message: string, options: { type: string; code: string }): void;
}

const mostTold = 1_000;
const told = new Set<string>();

/**
 * Warns once of each thing, in development only unless nothing works at all, in the way of the
 * platform (Node writes it to stderr, where it disturbs no stdio server). Servers are built anew for
 * each HTTP request, so the same warning would come with every one.
 */
export const warnInDevelopment: Warn = ({ code, about, message }) => {
  const { process } = globalThis as { process?: ProcessLike };
  const key = `${code} ${about}`;
  const isQuiet = process?.env?.NODE_ENV === "production" && code !== "start-refused";
  if (isQuiet || told.has(key) || told.size >= mostTold) return;
  told.add(key);
  process?.emitWarning?.(message, { type: "VitrineWarning", code });
};
