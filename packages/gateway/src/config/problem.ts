import type { Path } from "./schema.ts";

/** What is wrong with a configuration, and where. */
export interface Problem {
  /** As `servers.clock.consent`; empty for the whole. */
  path: string;
  /** Names the value, unless it is a secret, and the remedy. */
  message: string;
  /** Of the file, from 1. */
  line?: number;
}

/** A problem at a place. */
export type PlacedProblem = Problem & { at: Path };

/** Why there is no configuration. */
export type ConfigErrorCode = "unreadable" | "syntax" | "invalid";

/** A configuration that cannot be used; it says all that is wrong, not only the first. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;
  readonly problems: readonly Problem[];

  constructor(code: ConfigErrorCode, file: string, problems: readonly Problem[]) {
    super(problems.map((problem) => sentence(file, problem)).join("\n"));
    this.name = "ConfigError";
    this.code = code;
    this.problems = problems;
  }
}

function sentence(file: string, { path, message, line }: Problem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${path ? `${path}: ` : ""}${message}`;
}
