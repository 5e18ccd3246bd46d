// Escapes third-party text for a terminal, a log or a suggested command. A server, a page or a user must not
// be able to move the cursor, write to the clipboard, change the reading direction, forge one of our lines,
// or give a command to a CI runner. Everything that a program prints is escaped once, where it is printed.

// C0, DEL and C1; bidirectional controls; line and paragraph separators; invisible tag characters.
const UNSAFE =
  /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const UNSAFE_BUT_LINES =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
// Runners skip white space before `::`, and accept `##[` and `##vso[` anywhere in a line.
const COMMAND = /^(\s*)(?=::)/;
const COMMAND_OF_LINE = /^([^\S\n]*)(?=::)/gm;
const OLD_COMMAND = /##(?=(?:vso)?\[)/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A value on one line. Control characters are shown as escape sequences, such as `\x1b` or `\n`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escaped).replace(COMMAND, "$1\\").replace(OLD_COMMAND, "##\\");
}

/** A text of several lines; line ends and tabs stay. */
export function printableLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSAFE_BUT_LINES, escaped)
    .replace(COMMAND_OF_LINE, "$1\\")
    .replace(OLD_COMMAND, "##\\");
}

/** JSON text of the same value, with control characters in strings escaped. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE_BUT_LINES, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** One word of a command line that a person may copy, for POSIX shells. */
export function shellQuoted(text: string): string {
  const safe = text.replace(UNSAFE, escaped);
  if (/^[\w@%+=:,./-]+$/.test(safe) && !safe.startsWith("-")) return safe;
  return `'${safe.replaceAll("'", "'\\''")}'`;
}

function escaped(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
