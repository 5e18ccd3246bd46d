import { CodedError } from "../errors/coded-error.ts";
import type { Path } from "./schema.ts";

/** A problem in a configuration, and where it is. */
export interface Problem {
  /** For example `servers.clock.consent`. Empty for the whole configuration. */
  path: string;
  /** Quotes the value, unless it is a secret, with advice how to fix it. */
  message: string;
  /** Line in the file, starting at 1. */
  line?: number;
}

/** A problem with its path. */
export type PlacedProblem = Problem & { at: Path };

/** Why a configuration can't be used. */
export type ConfigErrorCode = "unreadable" | "syntax" | "invalid";

/** An unusable configuration. Lists every problem, not only the first. */
export class ConfigError extends CodedError<ConfigErrorCode> {
  readonly problems: readonly Problem[];

  constructor(code: ConfigErrorCode, file: string, problems: readonly Problem[]) {
    super(code, problems.map((problem) => sentence(file, problem)).join("\n"));
    this.problems = problems;
  }
}

function sentence(file: string, { path, message, line }: Problem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${path ? `${path}: ` : ""}${message}`;
}
