import {
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
