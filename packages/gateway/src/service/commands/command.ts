// A command of the gateway. Each file of this folder defines commands with their own options and help;
// `index.ts` lists them.

import type { ParseArgsConfig, parseArgs } from "node:util";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import type { Print } from "../audit-command.ts";
import { OperatorError } from "../operator-error.ts";
import type { Service } from "../service.ts";

/** The environment of a command. */
export interface CommandContext {
  /** The name that the program was called by, for help and hints. */
  program?: string;
  environment: Readonly<Record<string, string | undefined>>;
  out: Print;
  err: Print;
  /** Receives the log of the running gateway line by line. Defaults to standard output. */
  log?: { write(line: string): void };
  /** Aborted to end `audit tail --follow`. */
  signal: AbortSignal;
  /**
   * Called after all secrets were read and before anything is started. Returns whether the process memory is
   * private.
   */
  seal?(): boolean;
  /** Called with the gateway that was started. It runs until it is closed. */
  onStart(service: Service): void;
}

/** Options that every command accepts. */
export const GENERAL_OPTIONS = {
  config: { type: "string" },
  roles: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Options of a command. An option has the same type in every command that has it. */
export type CommandOptions = NonNullable<ParseArgsConfig["options"]>;

/** The values of a command's options and of the general ones. */
export type Given<O extends CommandOptions = Record<never, never>> = ReturnType<
  typeof parseArgs<{ options: O & typeof GENERAL_OPTIONS; allowPositionals: true }>
>["values"];

/** What a command line means, with the types that its options have. */
export interface CommandDefinition<O extends CommandOptions> {
  /** The words that call it, such as `audit verify`. */
  name: string;
  /** Another name for it. */
  alias?: string;
  /** The lines of its help, without the name of the program. */
  usage: readonly string[];
  /** Sentences that are printed below all commands. */
  notes?: readonly string[];
  options?: O;
  /** Most words after its name. None by default. */
  words?: number;
  /** Resolves to the exit code, or to undefined if the gateway keeps running. */
  run(
    given: Given<O>,
    context: CommandContext,
    words: readonly string[],
  ): Promise<number | undefined>;
}

/** A command whose options are checked where it is called. */
export interface Command extends Omit<CommandDefinition<CommandOptions>, "run"> {
  run(
    given: Record<string, unknown>,
    context: CommandContext,
    words: readonly string[],
  ): Promise<number | undefined>;
}

/** Defines a command. */
export function defineCommand<const O extends CommandOptions = Record<never, never>>(
  definition: CommandDefinition<O>,
): Command {
  return {
    ...definition,
    run: (given, context, words) => definition.run(given as Given<O>, context, words),
  };
}

/** The configuration that `--config` names. */
export async function loadGiven(
  given: { config?: string | undefined },
  { environment }: CommandContext,
): Promise<LoadedConfig> {
  if (given.config === undefined) {
    throw new OperatorError("usage", "The configuration is missing. Pass --config gateway.yaml.");
  }
  return loadConfig(given.config, environment);
}
