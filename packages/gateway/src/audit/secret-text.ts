// Detects secrets by their form: known formats, words that precede one, and character runs that don't occur
// in words. All patterns are linear with bounded repetition (G145).

const OUT = "[redacted]";

// Values after "Bearer", between "://" and "@", keys in PEM, and tokens with a vendor prefix.
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
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Bits by which random letters fall short of the maximum entropy. Words fall short by more. */
const EVENLY = 0.8;

/** The text without anything that looks like a secret. */
export function scrub(text: string): string {
  let kept = text;
  for (const [shape, instead] of SHAPES) kept = kept.replace(shape, instead);
  kept = kept.replace(ANNOUNCED, `$1${OUT}`);
  return kept.replace(RUN, (run) => (isSecretRun(run) ? OUT : run));
}

function isSecretRun(run: string): boolean {
  if (UUID.test(run)) return false;
  if (run.length >= 32 && looksRandom(run, 4)) return true;
  return run.split(/[/.=~]/).some((piece) => piece.length >= 20 && looksRandom(piece, 2.6));
}

// Many different characters, with digits among the letters. Without digits, a change of case at every other
// letter, or at every fifth if the letters are distributed more evenly than in natural language. Joined words
// have neither.
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

// 1 for a digit, 2 for a lower-case letter, 3 for an upper-case letter, 0 otherwise.
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
