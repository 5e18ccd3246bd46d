import type { BadgeTone } from "../../src/templates/data-table.ts";
import { asText, cut, type Fields, isRecord, Link, own, useShell, Value } from "../shell/shell.tsx";
import type { Column } from "./columns.ts";

/** The value of a column in a row. */
export function CellValue({ row, column }: { row: Fields; column: Column }) {
  const { key, format, digits, badge, linkKey } = column;
  const { format: formatter } = useShell();
  const given = own(row, key);
  const text = asText(given);
  const href = linkKey === undefined ? undefined : asText(own(row, linkKey));
  if (href !== undefined && isSafe(href) && text) return <Link href={href} text={text} />;
  if (badge && text) {
    return <span class={`badge ${toneOf(text, badge)}`}>{<bdi>{cut(text, 40)}</bdi>}</span>;
  }
  return digits && typeof given === "number" ? (
    <bdi>{formatter.number(given, digits)}</bdi>
  ) : (
    <Value value={given} as={format} />
  );
}

/** What a row is called: its first column. */
export function nameOfRow(row: Fields, [first]: readonly Column[]): string {
  return cut(asText(own(row, first?.key ?? "")) ?? "", 60);
}

function isSafe(href: string): boolean {
  return href.length < 2000 && /^(https:\/\/|mailto:)[^\s<>"]+$/i.test(href) && URL.canParse(href);
}

// Words of servers for how something is. Whole words, so that "unpaid" isn't "paid".
const TONES: [BadgeTone, RegExp][] = [
  [
    "danger",
    /\b(fail(ed|ure|ing)?|error|overdue|rejected|declined|critical|blocked|offline|down|urgent|expired|unpaid|denied|unhealthy)\b/i,
  ],
  [
    "warning",
    /\b(pending|waiting|warning|late|paused|at risk|degraded|review|medium|on hold|partial|inactive)\b/i,
  ],
  [
    "success",
    /\b(active|done|paid|ok|success(ful)?|succeeded|completed?|healthy|delivered|approved|pass(ed)?|resolved|online|enabled|shipped|live|up)\b/i,
  ],
  ["info", /\b(new|open|running|in progress|processing|queued|scheduled|started|trial)\b/i],
];

/** The tone of a badge: the config's, or that of a common word. The text always tells the same. */
function toneOf(text: string, badge: NonNullable<Column["badge"]>): BadgeTone {
  if (isRecord(badge)) return (own(badge, text) as BadgeTone | undefined) ?? "neutral";
  const words = text.replace(/[_-]+/g, " ");
  return TONES.find(([, pattern]) => pattern.test(words))?.[0] ?? "neutral";
}
