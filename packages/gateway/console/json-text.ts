// JSON as lines, without parsing it: a parsed number may be another one, and exactly what was received counts.

/** Breaks JSON text into indented lines. Text that isn't JSON stays as it is. */
export function indentedJson(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  let lines = "";
  let depth = 0;
  for (const [token] of text.matchAll(
    /"(?:[^"\\]|\\[\s\S])*"?|[[{]\s*[\]}]|[[\]{},:]|[^"[\]{},:\s]+/g,
  )) {
    if (token === "]" || token === "}") {
      depth = Math.max(0, depth - 1);
      lines += `\n${indent(depth)}${token}`;
    } else if (token === "[" || token === "{") {
      depth += 1;
      lines += `${token}\n${indent(depth)}`;
    } else if (token === ",") lines += `,\n${indent(depth)}`;
    else lines += token === ":" ? ": " : token;
  }
  return lines;
}

const DEEPEST = 40;

function indent(depth: number): string {
  return "  ".repeat(Math.min(depth, DEEPEST));
}
