// Secrets by how they look: known shapes, words that announce one, and runs of characters that no word is
// made of. All patterns are linear with bounded repetition (G145).

const OUT = "[redacted]";

// What follows "Bearer", what stands between "://" and "@", keys in PEM, tokens with a maker's mark.
const SHAPES: readonly [RegExp, string][] = [
  [/\b((?:set-)?cookie|authorization)\s{0,4}:\s{0,4}[^\r\n]{1,8192}/gi, `$1: ${OUT}`],
  [/-----BEGIN [A-Z ]{1,40}-----[^-]{0,16384}(?:-----END [A-Z ]{1,40}-----)?/g, OUT],
  [/\b(bearer|basic|digest|negotiate)\s{1,4}[^\s,;"']{4,8192}/gi, `$1 ${OUT}`],
  [/:\/\/[^/\s:@"']{0,64}:[^/\s@"']{1,128}@/g, `://${OUT}@`],
  [/\beyJ[\w-]{8,8192}(?:\.[\w-]{0,8192}){0,4}/g, OUT],
  [/\b(?:AKIA|ASIA|AIza|ya29)[\w.-]{12,512}/g, OUT],
  [/\b(?:[spr]k|xox[a-z]|gh[a-z]|glpat|github_pat|npm|hf)[-_](?=[\w-]{0,64}\d)[\w-]{12,512}/g, OUT],
];
const ANNOUNCED =
  /((?:pass(?:word|wd|phrase|code)|pwd|secret|token|(?:api|private|access)[-_ ]?key|credential|\bpin|\botp)s?[\\"']{0,4}\s{0,4}(?:[:=]|%3[ad]|\bis\b)\s{0,4}[\\"']{0,4})[^\s"'\\,;&]{1,512}/gi;
const RUN = /[\w+/=.~-]{20,}/g;
// One of these stands in every text that the patterns above can change, if not a run of so many characters.
const HINTS = [
  ...["://", "bearer", "basic", "digest", "negotiate", "pass", "pwd", "secret", "token", "key"],
  ...["authori", "cookie", "credential", "pin", "otp"],
];
const HINT = new RegExp(HINTS.join("|"), "i");
const SHORTEST_RUN = 14;
/** For each character of ASCII: which letter it is in any case, for those of hints, and if it is one of a run. */
const LETTER = 31;
const OF_RUN = 32;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter =
    "abcdefghijklmnopqrstuvwxyz:/".indexOf(String.fromCharCode(code).toLowerCase()) + 1;
  return letter | (/[\w+/=.~-]/.test(String.fromCharCode(code)) ? OF_RUN : 0);
});
/** The letters of five bits that a hint begins with, three of them. */
const BEGINNINGS = new Uint8Array(2 ** 15);
for (const hint of HINTS) BEGINNINGS[[...hint].slice(0, 3).reduce(withLetter, 0)] = 1;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Bits by which random letters fall short of all being different; words fall short by more. */
const EVENLY = 0.8;

/** A text without what looks like a secret. */
export function scrubText(text: string): string {
  const found = look(text);
  if (found === "nothing" || (found === "beginning" && !HINT.test(text))) return text;
  let kept = text;
  for (const [shape, instead] of SHAPES) kept = kept.replace(shape, instead);
  kept = kept.replace(ANNOUNCED, `$1${OUT}`);
  return found === "run" ? kept.replace(RUN, (run) => (isSecretRun(run) ? OUT : run)) : kept;
}

// Most texts have nothing of the kind, and to see that must cost little: each character is looked at once.
function look(text: string): "nothing" | "beginning" | "run" {
  let run = 0;
  let last = 0;
  let found: "nothing" | "beginning" = "nothing";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (KINDS[code] as number) : 0;
    run = kind & OF_RUN ? run + 1 : 0;
    if (run === SHORTEST_RUN) return "run";
    last = ((last << 5) | (kind & LETTER)) & 0x7fff;
    if (BEGINNINGS[last] === 1) found = "beginning";
  }
  return found;
}

function withLetter(letters: number, character: string): number {
  return (letters << 5) | ((KINDS[character.charCodeAt(0)] as number) & LETTER);
}

function isSecretRun(run: string): boolean {
  if (UUID.test(run)) return false;
  if (run.length >= 32 && looksRandom(run, 4)) return true;
  return run.split(/[/.=~]/).some((piece) => piece.length >= 20 && looksRandom(piece, 2.6));
}

// Many different characters, and digits among the letters. Without digits, a change of case at every other
// letter, or at every fifth if letters are spread more evenly than languages spread them: joined words have
// neither.
function looksRandom(piece: string, bits: number): boolean {
  const counts = new Uint16Array(128);
  const sample = Math.min(piece.length, 512);
  let [digits, letters, changes] = [0, 0, 0];
  let last = 0;
  for (let at = 0; at < sample; at++) {
    const code = piece.charCodeAt(at);
    counts[code & 127] = (counts[code & 127] ?? 0) + 1;
    const kind = kindOf(code);
    if (kind === 1) digits += 1;
    else if (kind > 1) letters += 1;
    if (kind !== last && kind > 0 && last > 0) changes += 1;
    last = kind;
  }
  const entropy = entropyOf(counts, sample);
  if (entropy < bits || letters === 0) return false;
  if (digits >= 2) return changes >= 2;
  const isEven = entropy >= Math.log2(Math.min(sample, 64)) - EVENLY;
  return changes >= sample * (isEven ? 0.2 : 0.4);
}

// 1 for a digit, 2 for a small letter, 3 for a capital, 0 for the rest.
function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 97 && code <= 122) return 2;
  return code >= 65 && code <= 90 ? 3 : 0;
}

function entropyOf(counts: Uint16Array, total: number): number {
  let bits = 0;
  for (const count of counts) {
    if (count > 0) bits -= (count / total) * Math.log2(count / total);
  }
  return bits;
}
