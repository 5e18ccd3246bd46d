import { printable, printableLines } from "@vitrine/protocol/printable";
import type { Style, Terminal } from "../terminal.ts";

const STYLES: Record<string, Style> = { error: "red", warn: "yellow", info: "cyan", debug: "dim" };

/** Formats a JSON line of the gateway's log for people; other lines stay unchanged. */
export function readableLine(line: string, { style }: Pick<Terminal, "style">): string {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return printableLines(line.trimEnd());
  }
  if (typeof entry !== "object" || entry === null) return printableLines(line.trimEnd());
  const { level = "", time = "", msg = "", ...facts } = entry as Record<string, unknown>;
  const words = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${printable(name)}=${wordOf(value)}`);
  const clock = /T(\d\d:\d\d:\d\d)/.exec(String(time))?.[1] ?? printable(String(time));
  const label = style(STYLES[String(level)] ?? "bold", printable(String(level)).padEnd(5));
  const text = `${style("dim", clock)} ${label} ${printable(String(msg))}`;
  return words.length > 0 ? `${text}  ${style("dim", words.join(" "))}` : text;
}

/**
 * A field's value as one word: users and servers choose some of them, and must not forge another
 * field.
 */
function wordOf(value: unknown): string {
  const isPlain = typeof value === "string" && !/[\s"=]/.test(value);
  return printable(isPlain ? value : (JSON.stringify(value) ?? ""));
}

/** A line of output: its label is highlighted, and errors most of all. */
export function readableText(text: string, { style }: Pick<Terminal, "style">): string {
  return text
    .replace(
      /^(Gateway|Sandbox|Operators|Engine|Roles|Records|Archive|Server|Token)(?= )/gm,
      (word) => style("bold", word),
    )
    .replace(/^WRONG\b|\bMODIFIED\b/gm, (word) => style("red", word))
    .replace(/^(\S+ {2})(deny\b)/gm, (_, time, word) => time + style("yellow", word));
}
