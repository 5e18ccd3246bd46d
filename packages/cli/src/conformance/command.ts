import type { Command } from "../command.ts";
import { Failure } from "../failure.ts";

const USAGE = `Runs the rules of the specification (SEP-1865) against a product, over the wire.

Usage: vitrine conformance <role> [options]

  server   --command "node server.mjs" | --url https://example.com/mcp
  view     --file view.html | (--command … | --url …) [--uri ui://name/view.html]
  host     --url "https://host.example/?server={server}&tool={tool}&arguments={arguments}"
  sandbox  --url https://sandbox.example/ --host https://host.example

  --calls file.json        arguments of tools, by their names
  --calling safe|all|none  which tools are called; safe leaves out those that change things
  --csp file.json          what the View of a file declares (_meta.ui.csp)
  --approve, --deny css    the buttons with which a Host's user answers
  --driver file.mjs        for a Host that is handled in another way
  --rules SRV-01,SRV-02    only these
  --json, --junit, --html file   the report, beside the one on the terminal
  --chromium program       the browser; CHROMIUM, or the one installed, by default

Exit code 0: no MUST is broken; 1: one is, or a scenario broke off; 2: nothing could be run.

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
      const words = `"${role}" is no role. There are ${ROLES.join(", ")}.`;
      throw new Failure("usage", role ? words : USAGE);
    }
    const { runCommand } = await import("@vitrine/conformance/command");
    return runCommand(line).catch(inWords);
  },
};

/** A target that cannot be reached is the person's to mend; the place in our code helps nobody. */
function inWords(error: unknown): never {
  throw new Failure("unreadable", error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}
