import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringAt,
} from "./json-text.ts";

interface Open {
  /** Keys so far; undefined for an array. */
  seen: Keys | undefined;
  /** Whether keys that differ in case are the same, and where in the message this object is. */
  place: "message" | "params" | "meta" | undefined;
  key: string;
}

/**
 * The key that two parsers could read differently, if any. Frames are judged by what `JSON.parse` made
 * of them and passed on as text: a server that takes the first of two `name`s, or does not tell `name`
 * from `Name`, would carry out something else than was allowed and shown. Expects text that parses.
 */
export function ambiguousKey(text: string): string | undefined {
  return look.isPlain(text) ? undefined : firstAmbiguousKey(text);
}

// Room for a text, for the objects that are open at once in it, and for their keys.
const LONGEST = 16 * 1024;
const MOST_OPEN = 32;
const MOST_KEYS = 128;
const NOT_PLAIN = -1;

/** Looks through a text without making anything. One for all: a look is over before the next begins. */
class Look {
  readonly #bytes = Buffer.allocUnsafeSlow(LONGEST);
  /** Of the keys of all open objects, those of the innermost last. */
  readonly #hashes = new Int32Array(MOST_KEYS);
  /** Where the keys of each open object begin. */
  readonly #begins = new Int32Array(MOST_OPEN);
  readonly #isArray = new Uint8Array(MOST_OPEN);
  #open = 0;
  #keys = 0;
  #isKeyNext = false;

  /**
   * Whether no two keys of an object could be taken for one another, as in nearly all frames. False also for
   * what is not that simple: long, deep, not ASCII, with an escape in a key.
   */
  isPlain(text: string): boolean {
    const { length } = text;
    // A byte is had at a third of the price of a character; where there are more of them it is not ASCII.
    if (length > LONGEST || this.#bytes.write(text) !== length) return false;
    const bytes = this.#bytes;
    this.#open = 0;
    this.#keys = 0;
    this.#isKeyNext = false;
    for (let at = 0; at < length; at++) {
      const code = bytes[at] as number;
      if (code === QUOTE) {
        at = this.#isKeyNext ? this.#takeKey(at + 1, length) : this.#skipString(at + 1, length);
        if (at === NOT_PLAIN) return false;
        this.#isKeyNext = false;
      } else if (code === COMMA) this.#isKeyNext = this.#isArray[this.#open] === 0;
      else if (!this.#nest(code)) return false;
    }
    return true;
  }

  /** Goes in or out of an object or array; false where that is too deep. */
  #nest(code: number): boolean {
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++this.#open === MOST_OPEN) return false;
      this.#begins[this.#open] = this.#keys;
      this.#isArray[this.#open] = code === OPEN_BRACKET ? 1 : 0;
      this.#isKeyNext = code === OPEN_BRACE;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.#keys = this.#begins[this.#open] as number;
      this.#open -= 1;
      this.#isKeyNext = false;
    }
    return true;
  }

  /** Where the string ends. */
  #skipString(from: number, length: number): number {
    const bytes = this.#bytes;
    let at = from;
    for (; at < length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    return at;
  }

  /** Where the key ends. */
  #takeKey(from: number, length: number): number {
    const bytes = this.#bytes;
    let at = from;
    let hash = 0;
    for (; at < length && bytes[at] !== QUOTE; at++) {
      const code = bytes[at] as number;
      if (code === BACKSLASH) return NOT_PLAIN;
      // Small and large letters are the same; so are some others, of which the slower look decides.
      hash = (Math.imul(hash, 31) + (code | 32)) | 0;
    }
    for (let key = this.#begins[this.#open] as number; key < this.#keys; key++) {
      if (this.#hashes[key] === hash) return NOT_PLAIN;
    }
    if (this.#keys === MOST_KEYS) return NOT_PLAIN;
    this.#hashes[this.#keys++] = hash;
    return at;
  }
}

const look = new Look();

function firstAmbiguousKey(text: string): string | undefined {
  const stack: Open[] = [];
  let top: Open | undefined;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const key = isKeyNext && top ? repeatedKey(top, stringAt(text, at, end)) : undefined;
      if (key !== undefined) return key;
      isKeyNext = false;
      at = end - 1;
    } else if (code === COMMA) isKeyNext = top?.seen !== undefined;
    else if (nest(stack, code)) {
      top = stack.at(-1);
      isKeyNext = code === OPEN_BRACE;
    }
  }
  return undefined;
}

/** Goes in or out of an object or array. */
function nest(stack: Open[], code: number): boolean {
  if (code === OPEN_BRACE || code === OPEN_BRACKET) {
    const seen = code === OPEN_BRACE ? new Keys() : undefined;
    return stack.push({ seen, place: placeIn(stack.at(-1)), key: "" }) > 0;
  }
  return (code === CLOSE_BRACE || code === CLOSE_BRACKET) && stack.pop() !== undefined;
}

/** Keys of one object. Most have few, and a `Set` for each would cost more than all the rest. */
class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  /** Adds a key; false if it is there. */
  add(key: string): boolean {
    if (this.#many?.has(key) ?? this.#few.includes(key)) return false;
    if (this.#many) this.#many.add(key);
    else if (this.#few.push(key) > FEW) this.#many = new Set(this.#few);
    return true;
  }
}

const FEW = 16;
const NOT_ASCII = /[^\0-\x7f]/;

function repeatedKey(open: Open, key: string): string | undefined {
  open.key = key;
  return open.seen?.add(open.place ? folded(key) : key) === false ? key : undefined;
}

// Arguments may well have `a` and `A`; the members of the protocol may not. Folded as Go's decoder does it,
// where the long s and the Kelvin sign are letters.
function folded(key: string): string {
  return (NOT_ASCII.test(key) ? key.normalize("NFKC") : key).toLowerCase();
}

function placeIn(parent: Open | undefined): Open["place"] {
  if (!parent) return "message";
  if (!parent.seen) return undefined;
  if (parent.place === "message" && parent.key === "params") return "params";
  if (parent.place === "params" && parent.key === "_meta") return "meta";
  return undefined;
}
