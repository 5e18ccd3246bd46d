import { readSchema } from "../json-schema.ts";
import { textFallback } from "../text-fallback.ts";
import { linesOf, readDiff } from "./diff-viewer-data.ts";
import { flag, oneOf, text } from "./option.ts";
import { cutText } from "./plain-data.ts";
import { defineTemplate, type Template, type TemplateConfig } from "./template.ts";

/** Two texts compared line by line, with the words that changed within them. */
export interface DiffViewerConfig extends TemplateConfig {
  /** Shows both sides next to each other, or in one column; narrow Views always use one column. */
  viewMode?: "split" | "unified";
  /** Whether lines are numbered; true by default. */
  showLineNumbers?: boolean;
  /** Whether code is coloured; true by default. */
  syntaxHighlight?: boolean;
  /** Heading of the left side, where the data has no `leftTitle`; "Original" by default. */
  leftTitle?: string;
  /** Heading of the right side, where the data has no `rightTitle`; "Modified" by default. */
  rightTitle?: string;
  /**
   * Language of the code, where the data has no `language`: its name or file ending. By default it is
   * found by the endings of the titles, or guessed.
   */
  language?: string;
}

const MOST_LINES = 40;
const LONGEST_LINE = 300;

/** Shows `{left, right, changes?}` or `{original, modified}` as a comparison. */
export const diffViewer: Template<DiffViewerConfig> = defineTemplate<DiffViewerConfig>({
  name: "diff-viewer",
  options: {
    viewMode: oneOf(["split", "unified"], "Both sides next to each other, or in one column."),
    showLineNumbers: flag("Whether lines are numbered; true by default."),
    syntaxHighlight: flag("Whether code is coloured; true by default."),
    leftTitle: text('Heading of the left side if the data has none; "Original" by default.'),
    rightTitle: text('Heading of the right side if the data has none; "Modified" by default.'),
    language: text("Language of the code if the data has none: its name or file ending."),
  },
  fit: (schema) => {
    const node = readSchema(schema);
    const isText = (name: string): boolean => node.property(name)?.type === "string";
    const pairs = [
      ["left", "right"],
      ["original", "modified"],
    ];
    return pairs.some((pair) => pair.every(isText)) ? 0.95 : 0;
  },
  describe: (structuredContent, config) => {
    const data = readDiff(structuredContent);
    if (!data) return textFallback(structuredContent, { title: config.title });
    const { title, leftTitle = "Original", rightTitle = "Modified" } = config;
    const head = `--- ${data.leftTitle ?? leftTitle}\n+++ ${data.rightTitle ?? rightTitle}`;
    const body = data.changes ? listed(data.changes) : trimmed(data.left, data.right);
    return [title, head, body].filter(Boolean).join("\n");
  },
});

function listed(changes: NonNullable<ReturnType<typeof readDiff>>["changes"] & object): string {
  const signs = { same: " ", added: "+", removed: "-" };
  const changed = changes.filter(({ kind }) => kind !== "same");
  if (changed.length === 0) return "(both sides are equal)";
  return signed(
    changed.flatMap(({ kind, value }) => linesOf(value).map((line) => signs[kind] + line)),
  );
}

/**
 * The lines between the first and the last difference. A real comparison would need a library on the
 * Server; a model that has both texts in its context only needs the position of the change.
 */
function trimmed(left: string, right: string): string {
  const [a, b] = [linesOf(left), linesOf(right)];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const removed = a.slice(head, a.length - tail);
  const added = b.slice(head, b.length - tail);
  if (removed.length + added.length === 0) return "(both sides are equal)";
  const hunk = `@@ -${head + 1},${removed.length} +${head + 1},${added.length} @@`;
  return `${hunk}\n${signed(removed.map((line) => `-${line}`))}\n${signed(added.map((line) => `+${line}`))}`.trim();
}

function signed(lines: string[]): string {
  const shown = lines.slice(0, MOST_LINES).map((line) => cutText(line, LONGEST_LINE));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… ${more} more lines`] : [])].join("\n");
}
