import { HEADER_OPTION, readHeaders } from "../auth/header-option.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";
import { helpText } from "../help.ts";

const USAGE = helpText({
  summary: "Test a product against the rules of the specification (SEP-1865), over the wire.",
  usage: ["conformance <role> [options]"],
  groups: {
    Roles: [
      ["server", '--command "node server.mjs" or --url https://example.com/mcp'],
      ["view", "--file view.html, or --command or --url of a server with --uri ui://name/view"],
      [
        "host",
        '--url with {server}, {tool} and {arguments}, as in "https://host.example/?server={server}&tool={tool}"',
      ],
      ["sandbox", "--url https://sandbox.example/ --host https://host.example"],
    ],
    Options: [
      ["--command <command>", "a server that uses stdio"],
      ["--url <address>", "the product's address"],
      HEADER_OPTION,
      ["--file <file>", "the page of a view"],
      ["--uri <uri>", "the view of a server; by default its first one"],
      ["--host <origin>", "the host whose page embeds the sandbox"],
      ["--calls <file>", "arguments by tool name, as JSON"],
      ["--calling <which>", "tools to call: safe (skips tools that change things), all or none"],
      ["--csp <file>", "the view's _meta.ui.csp as JSON, for --file"],
      ["--approve, --deny <css>", "selectors of the buttons that answer a host's consent dialog"],
      ["--driver <file>", "a module that operates the host"],
      ["--rules <ids>", "only check these rules, such as SRV-01,SRV-02"],
      ["--json, --junit, --html <file>", "also write the report to a file"],
      ["--chromium <program>", "the browser; default: CHROMIUM, or the installed one"],
    ],
  },
  notes: [
    "Exit codes: 0 every MUST holds, 1 a MUST is broken or a scenario failed to run, 2 could not run",
  ],
  examples: [
    'conformance server --command "node server.mjs"',
    "conformance view --file dist/ui/tasks/index.html --html report.html",
  ],
});

const ROLES = ["server", "view", "host", "sandbox"];

/** `vitrine conformance`. */
export const command: Command = {
  usage: USAGE,
  run: async (line) => {
    const [role = ""] = line;
    if (!ROLES.includes(role)) {
      const words = `Unknown role "${role}". Choose from: ${ROLES.join(", ")}.`;
      throw new Failure("usage", role ? words : USAGE);
    }
    const { runCommand } = await import("@vitrine/conformance/command");
    const { rest, given } = takeHeaders(line);
    const headers = given.length > 0 ? readHeaders(given) : undefined;
    if (headers && !rest.some((word) => /^--url(?:=|$)/.test(word)))
      throw new Failure("usage", "--header is for servers at an address. Pass --url too.");
    return runCommand(rest, headers && { headers }).catch(inWords);
  },
};

/** Splits `--header value` and `--header=value` from the other words. */
function takeHeaders(line: readonly string[]): { rest: string[]; given: string[] } {
  const rest: string[] = [];
  const given: string[] = [];
  for (let at = 0; at < line.length; at++) {
    const word = line[at] ?? "";
    if (word === "--header") given.push(line[++at] ?? "");
    else if (word.startsWith("--header=")) given.push(word.slice("--header=".length));
    else rest.push(word);
  }
  return { rest, given };
}

/** An unreachable target is the user's to fix, so a stack trace wouldn't help. */
function inWords(error: unknown): never {
  throw new Failure("unreadable", error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}
