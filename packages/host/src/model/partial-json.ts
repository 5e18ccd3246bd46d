// Parses the part of a tool's arguments that a model has written so far (HST-45). It is a preview:
// the last text and number may still grow, so it must not be acted on.

interface Reader {
  readonly text: string;
  at: number;
}

/** The text has ended where a value should be. */
const END: unique symbol = Symbol("end");

const DEPTH = 64;

/** The object that a prefix of JSON describes; empty if there is none or it isn't JSON. */
export function readPartialJson(text: string): Record<string, unknown> {
  try {
    const value = readValue({ text, at: 0 }, 0);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
}

function peek(reader: Reader): string | undefined {
  take(reader, /\s*/y);
  return reader.text[reader.at];
}

/** Skips the expected text; false if the input has ended. */
function step(reader: Reader, wanted: string): boolean {
  const found = peek(reader);
  if (found !== undefined && found !== wanted)
    throw new SyntaxError(`Expected ${wanted} at ${reader.at}`);
  reader.at++;
  return found === wanted;
}

function readValue(reader: Reader, depth: number): unknown {
  const first = peek(reader);
  if (first === undefined) return END;
  if (depth > DEPTH) throw new SyntaxError("Too deep");
  if (first === "{") return readObject(reader, depth);
  if (first === "[") return readArray(reader, depth);
  return first === '"' ? readString(reader).value : readWord(reader);
}

/** Reads items up to the closing bracket or the end of the input. */
function readItems(reader: Reader, close: string, readItem: () => boolean): void {
  reader.at++;
  for (let isFirst = true; peek(reader) !== close; isFirst = false) {
    if (!isFirst && !step(reader, ",")) return;
    if (!readItem()) return;
  }
  reader.at++;
}

function readObject(reader: Reader, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  readItems(reader, "}", () => {
    if (peek(reader) === undefined) return false;
    if (peek(reader) !== '"') throw new SyntaxError(`Expected a name at ${reader.at}`);
    const name = readString(reader);
    // A name that is cut off doesn't count.
    if (!name.isWhole || !step(reader, ":")) return false;
    const value = readValue(reader, depth + 1);
    // Assigning `__proto__` would set a prototype.
    if (value !== END && name.value !== "__proto__") object[name.value] = value;
    return value !== END;
  });
  return object;
}

function readArray(reader: Reader, depth: number): unknown[] {
  const array: unknown[] = [];
  readItems(reader, "]", () => {
    const value = readValue(reader, depth + 1);
    if (value !== END) array.push(value);
    return value !== END;
  });
  return array;
}

function readString(reader: Reader): { value: string; isWhole: boolean } {
  const text = take(reader, /"(?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*/y);
  const isWhole = reader.text[reader.at] === '"';
  const value: string = JSON.parse(`${text}"`);
  if (isWhole) reader.at++;
  // The rest is an escape that is cut off; half of a pair would be shown as a broken character.
  else reader.at = reader.text.length;
  return { value: isWhole ? value : value.replace(/[\ud800-\udbff]$/, ""), isWhole };
}

/** A number, true, false or null; a number that is cut off counts as far as it is valid. */
function readWord(reader: Reader): unknown {
  const word = take(reader, /[^\s,\]}]*/y);
  if (reader.at < reader.text.length || /^(true|false|null)$/.test(word)) return JSON.parse(word);
  const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(word)?.[0];
  return number === undefined ? END : Number(number);
}
