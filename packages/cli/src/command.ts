import type { Terminal } from "./terminal.ts";

/** One word after `vitrine`. */
export interface Command {
  /** What `--help` prints. */
  usage: string;
  /** Runs it to its end; the number is the exit code: 0 well, 1 findings, 2 could not be run. */
  run(line: readonly string[], terminal: Terminal): Promise<number>;
}
