// `--header "Name: value"`. The value may name a variable or a file, so that secrets stay out of the
// shell's history and of the list of processes.

import { readFileSync } from "node:fs";
import { Failure } from "../failure.ts";
import type { HelpRow } from "../help.ts";
import type { Target } from "../target/target.ts";

/** For the text of `--help`. */
export const HEADER_OPTION: HelpRow = [
  "--header <header>",
  'header for a server at an address; repeatable. Write "Name: value", "Name: $VARIABLE" or "Name: @file", in single quotes, so that the shell doesn\'t replace the variable',
];

// Those that the connection itself sets: another value would break it, or mislead the server.
const RESERVED =
  /^(?:host|connection|content-length|transfer-encoding|mcp-.*|content-type|accept)$/i;
const LONGEST_FILE = 16 * 1024;

/** Reads the options. Throws a `Failure` that doesn't quote the value. */
export function readHeaders(
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Headers {
  const headers = new Headers();
  for (const text of given) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined || value === "")
      throw new Failure("usage", 'A --header can\'t be read. Write it as --header "Name: value".');
    if (RESERVED.test(name))
      throw new Failure("usage", `--header sets "${name}", which the connection sets itself.`);
    try {
      headers.append(name, readValue(name, value, env));
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure(
        "usage",
        `The value of the header "${name}" has characters that headers can't contain.`,
      );
    }
  }
  return headers;
}

/** The target with headers; programs have none. */
export function withHeaders(target: Target, given: readonly string[] | undefined): Target {
  if (!given || given.length === 0) return target;
  if (target.kind !== "url")
    throw new Failure(
      "usage",
      "--header is for servers at an address. A program gets its keys from the environment.",
    );
  return { ...target, headers: readHeaders(given) };
}

function readValue(
  name: string,
  value: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // Also behind a scheme: `Authorization: Bearer $TOKEN`.
  const [, scheme = "", source] = /^(?:(\w+) +)?([$@].+)$/s.exec(value) ?? [];
  if (source === undefined) return value;
  const secret = source.startsWith("@")
    ? readSecretFile(name, source.slice(1))
    : readVariable(name, source, env);
  return scheme === "" ? secret : `${scheme} ${secret}`;
}

function readVariable(
  name: string,
  source: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const [, variable] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(source) ?? [];
  // A value such as `$1$abc` isn't a variable.
  if (variable === undefined) return source;
  const found = env[variable];
  if (!found)
    throw new Failure(
      "usage",
      `The header "${name}" needs the variable ${variable}, which isn't set.`,
    );
  return found.trim();
}

function readSecretFile(name: string, path: string): string {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text !== "" && text.length <= LONGEST_FILE) return text;
  } catch (cause) {
    throw new Failure("unreadable", `The file ${path} for the header "${name}" can't be read.`, {
      cause,
    });
  }
  throw new Failure(
    "unreadable",
    `The file ${path} for the header "${name}" is empty or too long.`,
  );
}
