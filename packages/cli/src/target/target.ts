import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { splitCommand } from "@vitrine/conformance/reading";
import { Failure } from "../failure.ts";
import type { HelpRow } from "../help.ts";

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

/** For the text of `--help`. */
export const SERVER_ARGUMENT: HelpRow = [
  "<server>",
  'a command, a file or an address: node server.mjs, server.mjs, "uv run app.py" or https://example.com/mcp',
];

/**
 * Parses a target from a command line: `https://…/mcp`, `server.mjs`, `"uv run app.py"` or `-- node
 * server.mjs --flag`. `command` is the name of our command, for messages.
 */
export function readTarget(words: readonly string[], command = "dev"): Target {
  const [first, ...rest] = words;
  if (first === undefined) throw new Failure("usage", missingServer(command));
  if (/^https?:\/\//i.test(first)) {
    if (rest.length > 0)
      throw new Failure("usage", `Nothing may follow the address ${first}: "${rest.join(" ")}".`);
    return { kind: "url", url: readUrl(first) };
  }
  const [program = "", ...args] = rest.length > 0 ? words : splitCommand(first);
  needFile(program, args);
  // For a JavaScript or TypeScript file, the runtime is implied.
  if (args.length === 0 && /\.[cm]?[jt]s$/.test(program)) {
    return { kind: "command", program: process.execPath, args: [program] };
  }
  if (args.length === 0 && program.endsWith(".py")) {
    return { kind: "command", program: "python3", args: [program] };
  }
  return { kind: "command", program, args };
}

/** Advice for a command line without a server: in a project, its own script knows the server. */
function missingServer(command: string): string {
  const { scripts = {} } = readPackage();
  const script = scripts[command];
  if (typeof script === "string" && script !== "")
    return `The server is missing. This folder is a project with a "${command}" script: run \`npm run ${command}\`.`;
  return `The server is missing. Pass a command, as in \`vitrine ${command} node server.mjs\`, or an address, as in \`vitrine ${command} https://example.com/mcp\`.`;
}

function readPackage(): { scripts?: Record<string, unknown> } {
  try {
    const { scripts } = Object(JSON.parse(readFileSync("package.json", "utf8")));
    return { scripts: Object(scripts) };
  } catch {
    return {};
  }
}

/** A missing file is reported here: its runtime would print a stack. */
function needFile(program: string, args: readonly string[]): void {
  const isRuntime = /^(?:node|deno|bun|tsx|python3?)$/.test(basename(program));
  const file = isRuntime ? args.find((arg) => !arg.startsWith("-")) : program;
  const isFile = file !== undefined && /\.(?:[cm]?[jt]s|py)$/.test(file);
  // An option such as `--import x.js` takes a file too, so only the first word counts.
  if (!isFile || existsSync(file) || (isRuntime && args[0] !== file)) return;
  throw new Failure("usage", `The file ${file} doesn't exist. Check its path.`);
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
