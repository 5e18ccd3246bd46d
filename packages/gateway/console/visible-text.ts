// Names, descriptions and errors come from servers and users. Characters that hide, reorder or imitate text
// are shown by their code, so that a reader sees what is really there.

/** A run of a text: ordinary, or one character that must be shown by its code. */
export interface TextRun {
  text: string;
  /** `U+202E`, if the character would not be visible or would change the order of others. */
  code?: string;
}

// Controls, format characters (bidirectional, zero width, tags), separators, surrogates and private use. A
// line break and a tab are ordinary in a text of several lines. A joiner inside an emoji is ordinary too.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0]/u;

/** Splits a text into runs that are safe to show. */
export function visibleRuns(text: string, { lines = false } = {}): TextRun[] {
  const runs: TextRun[] = [];
  let plain = "";
  let before = "";
  for (const character of text) {
    const isOrdinary = lines && (character === "\n" || character === "\t");
    if (isOrdinary || !isHidden(character, before)) plain += character;
    else {
      if (plain) runs.push({ text: plain });
      plain = "";
      runs.push({ text: character, code: codeOf(character) });
    }
    before = character;
  }
  if (plain) runs.push({ text: plain });
  return runs;
}

/** The same as one string, for titles and names of controls. */
export function visibleText(text: string): string {
  return visibleRuns(text)
    .map(({ text, code }) => (code ? `[${code}]` : text))
    .join("");
}

function isHidden(character: string, before: string): boolean {
  // An emoji may be joined from several; only there is a joiner expected.
  if (character === "\u200d" && /\p{Extended_Pictographic}|\u{fe0f}/u.test(before)) return false;
  return HIDDEN.test(character);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
