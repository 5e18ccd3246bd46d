import type { Terminal } from "./terminal.ts";

/** One command of `vitrine`. */
export interface Command {
  /** The text of `--help`. */
  usage: string;
  /** Runs the command. Returns the exit code: 0 success, 1 problems found, 2 could not run. */
  run(line: readonly string[], terminal: Terminal): Promise<number>;
}
