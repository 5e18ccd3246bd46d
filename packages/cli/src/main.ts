#!/usr/bin/env node
// The program `vitrine`: finds the command and runs it. Each command is in its own folder, and is
// loaded only when needed.

import { printable, printableLines } from "@vitrine/protocol/printable";
import { COMMANDS, loadCommand, overview } from "./commands.ts";
import { wordsOf } from "./failure.ts";
import { createTerminal } from "./terminal.ts";

async function main([name, ...line]: string[]): Promise<number> {
  const terminal = createTerminal();
  if (name === "--version" || name === "-v") {
    const { version } = (await import("../package.json", { with: { type: "json" } })).default;
    terminal.print(version);
    return 0;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    terminal.print(overview(terminal));
    return name === undefined ? 2 : 0;
  }
  if (!(name in COMMANDS)) {
    const { nearest } = await import("./nearest.ts");
    const close = nearest(name, Object.keys(COMMANDS));
    const hint = close ? ` Did you mean "${close}"?` : "";
    terminal.complain(`Unknown command "${printable(name)}".${hint}\n\n${overview(terminal)}`);
    return 2;
  }
  const command = await loadCommand(name as keyof typeof COMMANDS);
  if (line.includes("--help") || line.includes("-h")) {
    terminal.print(command.usage);
    return 0;
  }
  try {
    return await command.run(line, terminal);
  } catch (error) {
    terminal.complain(printableLines(wordsOf(error)));
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
