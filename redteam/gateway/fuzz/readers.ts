import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { goCommand, pythonCommand } from "../stage/server-programs.ts";

/** Names of the languages whose parsers are compared with what the gateway checked. */
export const LANGUAGES = ["python", "go"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The command of a program that reads JSON in a language: as a server, or line by line. */
export function readingCommand(language: Language, mode: "serve" | "read"): [string, ...string[]] {
  const [program = "", ...rest] =
    language === "python" ? pythonCommand("reading-server.py") : goCommand("reading-server.go");
  return [program, ...rest, mode];
}

/** A process that answers each line with the digest of the response it reads in it. */
export class LineReader {
  readonly #child: ChildProcess;
  readonly #waiting: ((digest: string) => void)[] = [];

  constructor(language: Language) {
    const [program, ...rest] = readingCommand(language, "read");
    const child = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.#waiting.shift()?.(line));
  }

  /** Digests of texts, in order. */
  read(texts: readonly string[]): Promise<string[]> {
    const digests = texts.map(() => new Promise<string>((resolve) => this.#waiting.push(resolve)));
    this.#child.stdin?.write(texts.map((text) => `${text.replaceAll("\n", " ")}\n`).join(""));
    return Promise.all(digests);
  }

  close(): void {
    this.#child.stdin?.end();
    this.#child.kill();
  }
}
