import { HEADER_USAGE, readHeaders } from "../auth/header-option.ts";
import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";

const USAGE = `Test a product against the rules of the specification (SEP-1865), over the wire.

Usage: vitrine conformance <role> [options]

  server   --command "node server.mjs" | --url https://example.com/mcp
  view     --file view.html | (--command … | --url …) [--uri ui://name/view.html]
  host     --url "https://host.example/?server={server}&tool={tool}&arguments={arguments}"
  sandbox  --url https://sandbox.example/ --host https://host.example

${HEADER_USAGE}
  --calls file.json        arguments by tool name
  --calling safe|all|none  tools to call; safe skips tools that change things
  --csp file.json          the view's _meta.ui.csp, for --file
  --approve, --deny css    selectors of the buttons that answer a host's consent dialog
  --driver file.mjs        a module that operates the host
  --rules SRV-01,SRV-02    only check these rules
  --json, --junit, --html file   also write the report to a file
  --chromium program       the browser; default: CHROMIUM, or the installed one

Exit codes: 0 every MUST holds, 1 a MUST is broken or a scenario failed to run, 2 could not run

Examples:
  vitrine conformance server --command "node server.mjs"
  vitrine conformance view --file dist/ui/tasks/index.html --html report.html`;

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
