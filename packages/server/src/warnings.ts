/** Likely mistakes that still work. */
export type ServerWarningCode =
  | "border-unsaid" // SRV-09
  | "not-html" // SRV-04, if reading isn't strict
  | "origin-undeclared" // SRV-18
  | "result-empty" // SRV-13
  | "result-useless" // SRV-12
  | "view-kept" // a view's file is missing, empty or not a document; the last good one is served
  | "version-unknown" // an older view that isn't stored
  | "version-lost" // the store of versions failed
  | "extension-unsaid" // SRV-20: registered after the server connected
  | "start-refused"; // SRV-05: also thrown; the SDK reports it only to onerror

/** A warning for the author of a server. */
export interface ServerWarning {
  code: ServerWarningCode;
  /** The tool or the address it is about. */
  about: string;
  /** The problem and its fix. */
  message: string;
}

/** Receives warnings. */
export type Warn = (warning: ServerWarning) => void;

interface ProcessLike {
  env?: Record<string, string | undefined>;
  emitWarning?(message: string, options: { type: string; code: string }): void;
}

const mostTold = 1_000;
const told = new Set<string>();

/**
 * Warns once about each problem, in development only unless nothing works at all, through the
 * platform (Node writes to stderr, which doesn't disturb stdio servers). Servers are built for each
 * HTTP request, so the same warning would otherwise be repeated.
 */
export const warnInDevelopment: Warn = ({ code, about, message }) => {
  const { process } = globalThis as { process?: ProcessLike };
  const key = `${code} ${about}`;
  const isQuiet = process?.env?.NODE_ENV === "production" && code !== "start-refused";
  if (isQuiet || told.has(key) || told.size >= mostTold) return;
  told.add(key);
  process?.emitWarning?.(message, { type: "VitrineWarning", code });
};
