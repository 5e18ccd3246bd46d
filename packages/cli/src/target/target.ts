import { splitCommand } from "@vitrine/conformance/reading";
import { Failure } from "../failure.ts";

/** A server as users name it: a program that uses stdio, or an address. */
export type Target =
  | {
      kind: "command";
      program: string;
      args: readonly string[];
      cwd?: string;
      env?: Record<string, string>;
    }
  | {
      kind: "url";
      url: URL;
      /** Headers of the user, which may be secrets: they are never shown. */
      headers?: Headers;
    };

/**
 * Parses a target from a command line: `https://…/mcp`, `server.mjs`, `"uv run app.py"` or `-- node
 * server.mjs --flag`.
 */
export function readTarget(words: readonly string[]): Target {
  const [first, ...rest] = words;
  if (first === undefined) {
    throw new Failure(
      "usage",
      "The server is missing. Pass a command, as in `vitrine check node server.mjs`, or an address, as in `vitrine check https://example.com/mcp`.",
    );
  }
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0)
      throw new Failure("usage", `Nothing may follow the address ${first}: "${rest.join(" ")}".`);
    return { kind: "url", url: readUrl(first) };
  }
  const [program = "", ...args] = rest.length > 0 ? words : splitCommand(first);
  // For a JavaScript or TypeScript file, the runtime is implied.
  if (args.length === 0 && /\.[cm]?[jt]s$/.test(program)) {
    return { kind: "command", program: process.execPath, args: [program] };
  }
  if (args.length === 0 && program.endsWith(".py")) {
    return { kind: "command", program: "python3", args: [program] };
  }
  return { kind: "command", program, args };
}

/** A target as it was typed. */
export function nameOf(target: Target): string {
  if (target.kind === "url") return target.url.href;
  const program = target.program === process.execPath ? "node" : target.program;
  return [program, ...target.args].join(" ");
}

function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Failure("usage", `"${text}" is not a valid address.`);
  const url = new URL(text);
  // It would be shown wherever the server is named.
  if (url.username || url.password)
    throw new Failure(
      "usage",
      'The address contains a user name or a password. Pass them with --header "Authorization: …" instead.',
    );
  return url;
}
