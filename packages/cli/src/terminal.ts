import { styleText } from "node:util";

/** A colour or weight that means something here. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Where a command's words go. */
export interface Terminal {
  /** Somebody may be looking, and can be asked. */
  readonly isInteractive: boolean;
  readonly columns: number;
  /** What the command is run for: to stdout, with a line end. */
  print(text: string): void;
  /** What is said on the side: to stderr, with a line end. */
  complain(text: string): void;
  /** The text in a style, where that is wanted; as it is otherwise. */
  style(style: Style, text: string): string;
}

/** The terminal of this process; `NO_COLOR` and pipes get plain text. */
export function createTerminal(): Terminal {
  return {
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 100,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    style: (style, text) => styleText(style, text, { stream: process.stdout }),
  };
}
