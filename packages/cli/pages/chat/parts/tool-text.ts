// Arguments and results as text, cut to what a person can read.

const LONGEST = 20_000;

/** A value as indented JSON. */
export function plainJson(value: unknown): string {
  if (value === undefined) return "";
  return cut(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
}

/** The text of a tool's result; everything else as JSON. */
export function resultText(output: unknown): string {
  const { content, structuredContent } = Object(output) as {
    content?: unknown;
    structuredContent?: unknown;
  };
  if (!Array.isArray(content)) return plainJson(output);
  const lines = content.map((block: unknown) => {
    const { type, text, mimeType } = Object(block) as Record<string, unknown>;
    if (type === "text") return String(text);
    return `[${String(type)}${mimeType === undefined ? "" : ` ${String(mimeType)}`}]`;
  });
  const text = lines.join("\n");
  if (text !== "" || structuredContent === undefined) return cut(text);
  return plainJson(structuredContent);
}

function cut(text: string): string {
  return text.length > LONGEST
    ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`
    : text;
}
