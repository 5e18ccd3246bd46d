import { endOfString } from "./json-text.ts";

interface Open {
  /** Keys so far; undefined for an array. */
  seen: Set<string> | undefined;
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
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const top = stack.at(-1);
    if (char === '"') {
      const end = endOfString(text, at);
      const key = isKeyNext ? repeatedKey(top, text.slice(at, end)) : undefined;
      if (key !== undefined) return key;
      isKeyNext = false;
      at = end - 1;
    } else if (char === ",") isKeyNext = top?.seen !== undefined;
    else isKeyNext = nest(stack, char) || isKeyNext;
  }
  return undefined;
}

/** Goes in or out of an object or array; true at the beginning of an object. */
function nest(stack: Open[], char: string | undefined): boolean {
  if (char === "}" || char === "]") stack.pop();
  if (char !== "{" && char !== "[") return false;
  const seen = char === "{" ? new Set<string>() : undefined;
  stack.push({ seen, place: placeIn(stack.at(-1)), key: "" });
  return seen !== undefined;
}

function repeatedKey(open: Open | undefined, raw: string): string | undefined {
  const key = JSON.parse(raw) as string;
  return open && isRepeated(open, key) ? key : undefined;
}

function isRepeated(open: Open, key: string): boolean {
  // Arguments may well have `a` and `A`; the members of the protocol may not. Folded as Go's decoder
  // does it, where the long s and the Kelvin sign are letters.
  const folded = open.place ? key.normalize("NFKC").toLowerCase() : key;
  if (open.seen?.has(folded)) return true;
  open.seen?.add(folded);
  open.key = key;
  return false;
}

function placeIn(parent: Open | undefined): Open["place"] {
  if (!parent) return "message";
  if (!parent.seen) return undefined;
  if (parent.place === "message" && parent.key === "params") return "params";
  if (parent.place === "params" && parent.key === "_meta") return "meta";
  return undefined;
}
