// The commands `vitrine gateway` and `vitrine-gateway`. An operator's mistake is one message and exit code 2; a
// stack trace is a bug in the gateway.

import { parseArgs } from "node:util";
import { printableLines } from "@vitrine/protocol/printable";
import { ArchiveError } from "../audit/archive/index.ts";
import { AuditError } from "../audit/index.ts";
import { ConfigError } from "../config/problem.ts";
import { EngineError } from "../engine/index.ts";
import {
  type Command,
  type CommandContext,
  type CommandOptions,
  GENERAL_OPTIONS,
} from "./commands/command.ts";
import { COMMANDS } from "./commands/index.ts";
import { OperatorError } from "./operator-error.ts";
import { PROGRAM_VERSION } from "./program-version.ts";

export type { CommandContext };

const PROGRAM = "vitrine-gateway";

/** Runs a command. Resolves to its exit code, or to undefined if the gateway keeps running. */
export async function runCommand(
  argv: readonly string[],
  given: CommandContext,
): Promise<number | undefined> {
  // The last step before a terminal: names of servers, users and files may contain control characters.
  const context: CommandContext = {
    ...given,
    out: (text) => given.out(printableLines(text)),
    err: (text) => given.err(printableLines(text)),
  };
  try {
    if (argv[0] === "--version") {
      context.out(`${PROGRAM_VERSION}\n`);
      return 0;
    }
    const words = positionalsOf(argv);
    const isHelp = argv.includes("--help");
    if (isHelp || words.length === 0) {
      context.out(usageText(commandsOf(words), context.program));
      return isHelp ? 0 : 2;
    }
    const { command, length } = findCommand(words);
    const { values, positionals } = readArguments(argv, command);
    const rest = positionals.slice(length);
    const extra = rest[command.words ?? 0];
    if (extra !== undefined) {
      throw new OperatorError("usage", `Unexpected argument "${extra}". See --help.`);
    }
    return await command.run(values, withRoles(values.roles, context), rest);
  } catch (error) {
    if (!isMistake(error)) throw error;
    context.err(`${error.message}\n`);
    return 2;
  }
}

/** The help: every command, or those that begin with the given word. */
function usageText(commands: readonly Command[], program = PROGRAM): string {
  const isAll = commands.length === COMMANDS.length;
  let text = isAll ? `${program}: connects browsers to MCP servers.\n` : "";
  let group: string | undefined;
  for (const { name, usage } of commands) {
    const [first] = name.split(" ");
    // Commands with the same first word are one paragraph.
    if (group !== first && (isAll || group === undefined)) text += "\n";
    group = first;
    for (const line of usage) {
      text += line.startsWith(" ") ? `  ${line}\n` : `  ${program} ${line}\n`;
    }
  }
  const notes = commands.flatMap((command) => command.notes ?? []);
  return notes.length === 0 ? text : `${text}\n${notes.join("\n")}\n`;
}

/** The commands that the words name the beginning of, or all. */
function commandsOf(words: readonly string[]): readonly Command[] {
  const found = COMMANDS.filter(({ name }) => name.split(" ")[0] === words[0]);
  return found.length > 0 ? found : COMMANDS;
}

/** The words of a command line, found with the options of every command. */
function positionalsOf(argv: readonly string[]): readonly string[] {
  const options: CommandOptions = Object.assign({}, ...COMMANDS.map((command) => command.options));
  const all = { ...options, ...GENERAL_OPTIONS };
  return parseArgs({ args: [...argv], options: all, allowPositionals: true, strict: false })
    .positionals;
}

function findCommand(words: readonly string[]): { command: Command; length: number } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = COMMANDS.find((each) => each.name === name || each.alias === name);
    if (command) return { command, length };
  }
  const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${words[0]} `));
  const name = words.slice(0, isGroup ? 2 : 1).join(" ");
  const known = commandsOf(words).map((each) => each.name);
  const text = `Unknown command "${name}". Choose from: ${known.join(", ")}. See --help.`;
  throw new OperatorError("usage", text);
}

function readArguments(argv: readonly string[], { options }: Command) {
  try {
    const all = { ...options, ...GENERAL_OPTIONS };
    return parseArgs({ args: [...argv], options: all, allowPositionals: true });
  } catch (error) {
    throw new OperatorError("usage", `${(error as Error).message} See --help.`);
  }
}

/** `--roles` sets the environment variable of that setting. */
function withRoles(roles: string | undefined, context: CommandContext): CommandContext {
  if (roles === undefined) return context;
  return { ...context, environment: { ...context.environment, VITRINE_CLUSTER_ROLES: roles } };
}

function isMistake(error: unknown): error is Error {
  const kinds = [ConfigError, OperatorError, ArchiveError, AuditError, EngineError];
  return kinds.some((kind) => error instanceof kind);
}
