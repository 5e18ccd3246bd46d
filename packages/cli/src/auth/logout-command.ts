import { parseArgs } from "node:util";
import type { Command } from "../command.ts";
import { helpText } from "../help.ts";
import { readAddress } from "./login-command.ts";
import { openLoginFile, resourceOf } from "./login-file.ts";

const USAGE = helpText({
  summary: "Remove the stored tokens of a server.",
  usage: ["logout <address>", "logout --all"],
  about: [
    "The tokens are removed from this machine. To revoke them everywhere, use the page of the service.",
  ],
  groups: {
    Arguments: [["<address>", "the server, as in https://example.com/mcp"]],
    Options: [["--all", "remove the log-ins of all servers"]],
  },
  examples: ["logout https://example.com/mcp", "logout --all"],
});

/** `vitrine logout`. */
export const command: Command = {
  usage: USAGE,
  run: async (line, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...line],
      allowPositionals: true,
      options: { all: { type: "boolean" } },
    });
    const file = openLoginFile();
    const resources = values.all
      ? [...new Set(file.list().map(({ resource }) => resource))]
      : [resourceOf(readAddress(positionals, "logout"))];
    const removed = resources.filter((resource) => file.remove(resource) > 0);
    if (removed.length > 0) terminal.print(`Logged out of ${removed.join(", ")}`);
    else if (values.all) terminal.print("You weren't logged in to any server.");
    else terminal.print(`You weren't logged in to ${resources[0]}`);
    return 0;
  },
};
