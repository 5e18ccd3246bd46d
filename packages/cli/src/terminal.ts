import { styleText } from "node:util";
import { printableLines } from "@vitrine/protocol/printable";

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
    print: (text) => void process.stdout.write(`${withoutControls(text)}\n`),
    complain: (text) => void process.stderr.write(`${withoutControls(text)}\n`),
    style: (style, text) => styleText(style, text, { stream: process.stdout }),
  };
}

/** The codes of our styles, and no others: 1, 2 and 22 for the weight, 31 to 39 for colours. */
const STYLE_CODE = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|2|22|31|32|33|36|39)m)`);

/**
 * The last step before a terminal or a CI log: whatever a message holds, only styles and line ends of it are
 * obeyed. Values of others are made `printable` where a message is put together, so that they stay on their
 * line.
 */
export function withoutControls(text: string): string {
  const parts = text.split(STYLE_CODE);
  return parts.map((part, at) => (at % 2 === 1 ? part : printableLines(part))).join("");
}
