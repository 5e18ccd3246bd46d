import type { Command } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** Every command, in the order in which people meet them. */
export const COMMANDS = {
  create: "Starts a new app: a server with a View",
  dev: "Opens a server in a strict local Host",
  check: "Says what is wrong with an app, and which line to add",
  conformance: "Runs the rules of the specification against a product",
  gateway: "Runs the gateway, checks its config, reads its audit log",
} as const;

const LOADERS: Record<keyof typeof COMMANDS, () => Promise<{ command: Command }>> = {
  create: () => import("./create/command.ts"),
  dev: () => import("./dev/command.ts"),
  check: () => import("./check/command.ts"),
  conformance: () => import("./conformance/command.ts"),
  gateway: () => import("./gateway/command.ts"),
};

/** Loads one command and nothing of the others. */
export async function loadCommand(name: keyof typeof COMMANDS): Promise<Command> {
  return (await LOADERS[name]()).command;
}

/** What `vitrine --help` prints. */
export function overview({ style }: Pick<Terminal, "style">): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const rows = Object.entries(COMMANDS).map(
    ([name, summary]) => `  ${style("bold", name.padEnd(width))}${summary}`,
  );
  return `Create, run, check and serve MCP Apps.

Usage: vitrine <command> [options]

${rows.join("\n")}

vitrine <command> --help says more.`;
}
