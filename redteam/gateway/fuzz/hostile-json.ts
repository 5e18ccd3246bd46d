import type { Random } from "./random.ts";

/** Names that a protocol, JavaScript or another parser gives a meaning. */
const NAMES = [
  ...["id", "method", "params", "name", "arguments", "jsonrpc", "_meta", "result", "error"],
  ...["Id", "ID", "Method", "Params", "Name", "NAME", "Arguments", "argument\u017f", "Result"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "toJSON", "length", "0", "-1"],
  ...["", "a", "note", "é", "ſ", "K", "argument\\", "i\\", "metho\\", "param\\", "nam\\"],
  ...["\ud800", "\udfff", "\ud83d\ude42", "\u2028", "\0", 'a"b', "rawJSON", "uri", "task"],
];
const TEXTS = [
  ...["", "x", "any", "hidden", '"id":5', ',"id":1}', "\\", "\\\\", "}", "{", "[", "é", "\u2028"],
  ...["\u2029", "\ud83d\ude42", "\ud800", "\udc00", "\ud800\ud800", '"', "\\u0069d", ":", "2.0"],
  ...["\0", "\u007f", "\u0085", "\ufeff", "\ufffd", "\uffff", "\r\n", "null", "__proto__"],
];
const NUMBERS = [
  ...["0", "-0", "1", "-1", "1.5", "1e5", "-0.5E-3", "1E+2", "9007199254740991"],
  ...["9007199254740993", "-9007199254740993", "12345678901234567890", "1e308", "5e-324"],
  ...["18446744073709551616", "0.1", "1e-400", "123456789.123456789123456789", "1e21", "1e-7"],
];
const INFINITE = ["1e400", "-1e999", `1${"0".repeat(400)}`];
const SPACES = [" ", "\n", "\t", "\r\n ", "  "];

/** Writes a JSON value that parsers might read differently. */
export function hostileValue(random: Random, depth: number): string {
  const kind = random.next();
  if (depth <= 0 || kind < 0.5) return hostileScalar(random);
  if (kind < 0.65) {
    const items = Array.from({ length: random.below(4) }, () => hostileValue(random, depth - 1));
    return `[${items.join(`,${space(random)}`)}]`;
  }
  if (kind < 0.66) return nested(random, random.pick([30, 62, 63, 64, 65, 70, 255, 256, 257, 600]));
  return hostileObject(random, depth - 1);
}

/** Writes an object of hostile members, some of them twice. */
export function hostileObject(random: Random, depth: number): string {
  const members = Array.from({ length: random.below(5) }, () => hostileMember(random, depth));
  const [first] = members;
  if (first && random.chance(0.05)) members.push(first);
  return objectText(random, members);
}

/** Writes one member. */
export function hostileMember(random: Random, depth: number): string {
  return memberText(random, random.pick(NAMES), hostileValue(random, depth));
}

/** Writes a member under a name, with odd escapes. */
export function memberText(random: Random, name: string, value: string): string {
  return `"${escaped(random, name)}"${space(random)}:${space(random)}${value}`;
}

/** Writes an object of members that are text already. */
export function objectText(random: Random, members: readonly string[]): string {
  return `{${space(random)}${members.join(`${space(random)},${space(random)}`)}${space(random)}}`;
}

function hostileScalar(random: Random): string {
  const kind = random.next();
  if (kind < 0.3) return random.pick(NUMBERS);
  if (kind < 0.302) return random.pick(INFINITE);
  if (kind < 0.45) return random.pick(["true", "false", "null"]);
  const text = random.pick(TEXTS) + (random.chance(0.3) ? random.pick(TEXTS) : "");
  return `"${escaped(random, text)}"`;
}

function nested(random: Random, depth: number): string {
  const isList = random.chance(0.5);
  return isList
    ? "[".repeat(depth) + "]".repeat(depth)
    : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

/** Escapes what has to be, and now and then what doesn't. */
export function escaped(random: Random, text: string): string {
  let out = "";
  const eager = random.chance(0.15) ? 0.5 : 0;
  for (const unit of text.split("")) {
    const code = unit.charCodeAt(0);
    const isLone = code >= 0xd800 && code <= 0xdfff;
    if (code < 0x20 || isLone || random.next() < eager) {
      const hex = code.toString(16).padStart(4, "0");
      out += `\\u${random.chance(0.5) ? hex : hex.toUpperCase()}`;
    } else if (unit === '"' || unit === "\\") out += `\\${unit}`;
    else out += unit;
  }
  return out;
}

function space(random: Random): string {
  return random.chance(0.05) ? random.pick(SPACES) : "";
}
