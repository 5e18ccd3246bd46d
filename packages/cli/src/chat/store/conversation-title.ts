import type { UIMessage } from "ai";

const LONGEST_TITLE = 60;

/** A title from the first message of the user. */
export function titleOf(messages: readonly UIMessage[]): string {
  const first = messages.find(({ role }) => role === "user");
  const text = first?.parts.find((part) => part.type === "text")?.text ?? "";
  return readTitle(text) ?? "New conversation";
}

/** A title on one line, without control characters; `undefined` if nothing is left. */
export function readTitle(text: string): string | undefined {
  const line = text
    .slice(0, 1000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const characters = [...line];
  if (characters.length === 0) return undefined;
  if (characters.length <= LONGEST_TITLE) return line;
  return `${characters
    .slice(0, LONGEST_TITLE - 1)
    .join("")
    .trimEnd()}…`;
}
