import type { Command } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** Every command, in the order in which people need them. */
export const COMMANDS = {
  create: "Create a new app: a server with a view",
  dev: "Open a server in a strict local host",
  chat: "Open a chat with a model and your servers",
  check: "Find problems in an app, and the line that fixes each",
  login: "Log in to a server, for dev, check and chat",
  logout: "Remove the stored tokens of a server",
  conformance: "Test a product against the rules of the specification",
  gateway: "Run the gateway, check its config, read its audit log",
  sandbox: "Find out what is wrong with a deployed sandbox",
} as const;

const LOADERS: Record<keyof typeof COMMANDS, () => Promise<{ command: Command }>> = {
  create: () => import("./create/create-command.ts"),
  dev: () => import("./dev/dev-command.ts"),
  chat: () => import("./chat/chat-command.ts"),
  check: () => import("./check/check-command.ts"),
  login: () => import("./auth/login-command.ts"),
  logout: () => import("./auth/logout-command.ts"),
  conformance: () => import("./conformance/conformance-command.ts"),
  gateway: () => import("./gateway/gateway-command.ts"),
  sandbox: () => import("./sandbox/sandbox-command.ts"),
};

/** Loads one command and none of the others. */
export async function loadCommand(name: keyof typeof COMMANDS): Promise<Command> {
  return (await LOADERS[name]()).command;
}

/** The text of `vitrine --help`. */
export function overview({ style }: Pick<Terminal, "style">): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const rows = Object.entries(COMMANDS).map(
    ([name, summary]) => `  ${style("bold", name.padEnd(width))}${summary}`,
  );
  return `Create, run, check and serve MCP Apps.

Usage: vitrine <command> [options]

${rows.join("\n")}

Run vitrine <command> --help for the options of a command.`;
}
