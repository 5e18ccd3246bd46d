import { readFile, stat } from "node:fs/promises";
import { isNode, LineCounter, parseDocument } from "yaml";
import { ConfigError } from "./problem.ts";
import type { Path } from "./schema.ts";

/** What stands in a file. JSON is YAML, so both are read the same way. */
export interface ConfigFile {
  value: unknown;
  /** The line of a setting, or of the nearest thing around it. */
  lineOf(path: Path): number | undefined;
}

/** What tells one state of a file from another; the same for a file that is not there. */
export async function stampOf(file: string): Promise<string> {
  const { mtimeMs, ino, size } = await stat(file).catch(() => ({ mtimeMs: 0, ino: 0, size: 0 }));
  return `${mtimeMs} ${ino} ${size}`;
}

const LARGEST = 2 ** 20;

/** Reads a configuration file; throws a `ConfigError`. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError("unreadable", file, [{ path: "", message: wordsOf(error) }]);
  });
  if (text.length > LARGEST) {
    const message = `It has ${text.length} characters, more than ${LARGEST}; is it the right file?`;
    throw new ConfigError("unreadable", file, [{ path: "", message }]);
  }
  const lines = new LineCounter();
  // Without pretty errors, which would print the line, and with it a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => ({
      path: "",
      message: `${message}.`.replace(/\.\.$/, "."),
      line: lines.linePos(pos[0]).line,
    }));
    throw new ConfigError("syntax", file, problems);
  }
  return {
    value: document.toJS({ maxAliasCount: 100 }),
    lineOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const node: unknown = document.getIn(path.slice(0, length), true);
        const start = isNode(node) ? node.range?.[0] : undefined;
        if (start !== undefined) return lines.linePos(start).line;
      }
      return undefined;
    },
  };
}

function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "There is no such file; name one with --config.";
  if (code === "EACCES") return "It may not be read by this user.";
  if (code === "EISDIR") return "It is a folder; name a file with --config.";
  return message;
}
