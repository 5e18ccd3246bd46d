#!/usr/bin/env node
// The program `vitrine`: finds the command and runs it. Each command is in its own folder, and is
// loaded only when needed.

import { printable, printableLines } from "@vitrine/protocol/printable";
import { COMMANDS, loadCommand, overview } from "./commands.ts";
import { wordsOf } from "./failure.ts";
import { nearest } from "./nearest.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

async function main([first, ...line]: string[]): Promise<number> {
  const terminal = createTerminal();
  if (first === "--version" || first === "-v") {
    const { version } = (await import("../package.json", { with: { type: "json" } })).default;
    terminal.print(version);
    return 0;
  }
  // `vitrine help dev` is `vitrine dev --help`.
  const isHelp = first === "--help" || first === "-h" || first === "help";
  const name = isHelp ? line[0] : first;
  if (name === undefined) {
    terminal.print(overview(terminal));
    return isHelp ? 0 : 2;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    const close = nearest(name, Object.keys(COMMANDS));
    const hint = close ? ` Did you mean "${close}"?` : "";
    terminal.complain(
      `Unknown command "${printable(name)}".${hint} Run vitrine --help for all commands.`,
    );
    return 2;
  }
  return run(name as keyof typeof COMMANDS, isHelp ? ["--help"] : line, terminal);
}

async function run(
  name: keyof typeof COMMANDS,
  line: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const command = await loadCommand(name);
  // Options after -- are the server's own.
  const own = line.includes("--") ? line.slice(0, line.indexOf("--")) : line;
  if (own.includes("--help") || own.includes("-h")) {
    terminal.print(command.usage);
    return 0;
  }
  try {
    return await command.run(line, terminal);
  } catch (error) {
    const words = unknownOption(error, { name, usage: command.usage }) ?? wordsOf(error);
    terminal.complain(printableLines(words));
    return 2;
  }
}

/** The message for an option that the command doesn't have; `undefined` for other errors. */
function unknownOption(
  error: unknown,
  { name, usage }: { name: string; usage: string },
): string | undefined {
  if ((error as { code?: unknown }).code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return undefined;
  const [, option = ""] = /'(-[^ ']*)/.exec((error as Error).message) ?? [];
  const known = [...new Set(usage.match(/--[a-z][a-z-]*/g) ?? [])];
  const close = nearest(option, known);
  const hint = close ? ` Did you mean ${close}?` : "";
  return `Unknown option "${option}".${hint} Run vitrine ${name} --help for all options.`;
}

process.exitCode = await main(process.argv.slice(2));
