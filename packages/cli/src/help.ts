// The text of `--help`: one format for all commands, at most 80 columns wide.

/** One option or argument with its explanation. */
export type HelpRow = readonly [name: string, text: string];

/** The help of one command. */
export interface Help {
  /** One sentence. */
  summary: string;
  /** Each form of the command line, without `vitrine`. */
  usage: readonly string[];
  /** More about the command; a paragraph each. */
  about?: readonly string[];
  /** Rows under a heading such as "Options". */
  groups: Readonly<Record<string, readonly HelpRow[]>>;
  /** Paragraphs after the options. */
  notes?: readonly string[];
  /** Command lines, without `vitrine`. */
  examples: readonly string[];
}

const WIDTH = 80;
// Where explanations start; a longer name has a line of its own.
const COLUMN = 24;

/** Writes the help. */
export function helpText({
  summary,
  usage,
  about = [],
  groups,
  notes = [],
  examples,
}: Help): string {
  const [first = "", ...others] = usage;
  return [
    wrap(summary),
    [`Usage: vitrine ${first}`, ...others.map((line) => `       vitrine ${line}`)].join("\n"),
    ...about.map((text) => wrap(text)),
    ...Object.entries(groups).map(([title, rows]) =>
      [`${title}:`, ...rows.map(helpRow)].join("\n"),
    ),
    ...notes.map((text) => wrap(text)),
    ["Examples:", ...examples.map((line) => `  vitrine ${line}`)].join("\n"),
  ].join("\n\n");
}

function helpRow([name, text]: HelpRow): string {
  const explanation = wrap(text, COLUMN);
  const isShort = name.length + 4 <= COLUMN;
  return isShort
    ? `  ${name}`.padEnd(COLUMN) + explanation.trimStart()
    : `  ${name}\n${explanation}`;
}

function wrap(text: string, indent = 0): string {
  const space = " ".repeat(indent);
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(space + word);
  }
  return lines.join("\n");
}
