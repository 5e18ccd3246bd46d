import type { Style, Terminal } from "../terminal.ts";

const STYLES: Record<string, Style> = { error: "red", warn: "yellow", info: "cyan", debug: "dim" };

/** A line of the gateway's log, which is JSON, for a person; any other line as it is. */
export function readableLine(line: string, { style }: Pick<Terminal, "style">): string {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return line.trimEnd();
  }
  if (typeof entry !== "object" || entry === null) return line.trimEnd();
  const { level = "", time = "", msg = "", ...facts } = entry as Record<string, unknown>;
  const words = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const clock = /T(\d\d:\d\d:\d\d)/.exec(String(time))?.[1] ?? String(time);
  const label = style(STYLES[String(level)] ?? "bold", String(level).padEnd(5));
  const text = `${style("dim", clock)} ${label} ${msg}`;
  return words.length > 0 ? `${text}  ${style("dim", words.join(" "))}` : text;
}

/** A line that a command prints: its label stands out, and what is wrong most of all. */
export function readableText(text: string, { style }: Pick<Terminal, "style">): string {
  return text
    .replace(
      /^(Gateway|Sandbox|Operators|Engine|Roles|Records|Archive|Server|Token)(?= )/gm,
      (word) => style("bold", word),
    )
    .replace(/^WRONG\b|\bNOT\b/gm, (word) => style("red", word))
    .replace(/^(\S+ {2})(deny\b)/gm, (_, time, word) => time + style("yellow", word));
}
