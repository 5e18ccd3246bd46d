const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text for HTML and XML, in content and in attributes; characters that XML can't contain become
 * spaces.
 */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, " ")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
