import { styleText } from "node:util";
import { printableLines } from "@vitrine/protocol/printable";

/** A colour or weight with a meaning here. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Where a command's output goes. */
export interface Terminal {
  /** True if a user may be at the terminal and can be asked. */
  readonly isInteractive: boolean;
  readonly columns: number;
  /** Prints a result to stdout, with a line end. */
  print(text: string): void;
  /** Prints other output to stderr, with a line end. */
  complain(text: string): void;
  /** The text in a style if styles are enabled; otherwise unchanged. */
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
 * The last step before a terminal or a CI log: only styles and line ends of a message take effect.
 * Untrusted values are made `printable` when a message is built, so that they stay on their line.
 */
export function withoutControls(text: string): string {
  const parts = text.split(STYLE_CODE);
  return parts.map((part, at) => (at % 2 === 1 ? part : printableLines(part))).join("");
}
