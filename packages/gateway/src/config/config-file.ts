import { type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { isNode, LineCounter, parseDocument } from "yaml";
import { ConfigError } from "./problem.ts";
import type { Path } from "./schema.ts";

/** The content of a configuration file. JSON is valid YAML, so one parser reads both. */
export interface ConfigFile {
  value: unknown;
  /** The line of a setting, or of its nearest parent in the file. */
  lineOf(path: Path): number | undefined;
}

/** Identifies a file's state, to detect changes. A missing file always has the same stamp. */
export async function stampOf(file: string): Promise<string> {
  return stampText(await stat(file).catch(() => undefined));
}

/** The same as `stampOf`, for a reader that can't wait. */
export function stampOfNow(file: string): string {
  return stampText(statSync(file, { throwIfNoEntry: false }));
}

function stampText(stats: Pick<Stats, "mtimeMs" | "ino" | "size"> | undefined): string {
  const { mtimeMs, ino, size } = stats ?? { mtimeMs: 0, ino: 0, size: 0 };
  return `${mtimeMs} ${ino} ${size}`;
}

const LARGEST = 2 ** 20;

/** Reads a configuration file; throws a `ConfigError`. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError("unreadable", file, [{ path: "", message: wordsOf(error) }]);
  });
  if (text.length > LARGEST) {
    const message = `It has ${text.length} characters, but at most ${LARGEST} are allowed. Is this the right file?`;
    throw new ConfigError("unreadable", file, [{ path: "", message }]);
  }
  const lines = new LineCounter();
  // Pretty errors would print the line, which may contain a secret.
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
  if (code === "ENOENT") return "The file doesn't exist. Pass --config with the right path.";
  if (code === "EACCES") return "This user may not read the file. Change its owner or mode.";
  if (code === "EISDIR") return "This is a folder. Pass --config with the path of a file.";
  return message;
}
