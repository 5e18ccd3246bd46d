import { GUARD_SCRIPT } from "./guard-script.ts";

// As the HTML standard reads them. Whitespace and comments, bogus ones included, leave the parser
// where it is before the head.
const BLANK =
  "(?:[\\t\\n\\f\\r ]+|<!--(?:-?>|[^]*?--!?>)|<(?:[?]|/(?![a-z])|!(?!--|doctype))[^>]*>)*";
const DOCTYPE = "(?:<!doctype[^>]*>)?";
// Only tags in their plain form. Before any other tag, the script comes first: then the attributes
// of a head are lost, but no element of the view can precede the script.
const VALUE = "(?:\"[^\"]*\"|'[^']*'|[^\\t\\n\\f\\r \"'=<>`]+)";
const ATTRIBUTE = `[\\t\\n\\f\\r ]+[a-z][a-z0-9:_-]*(?:=${VALUE})?`;
const tag = (name: string): string => `(?:<${name}(?:${ATTRIBUTE})*[\\t\\n\\f\\r ]*>)?`;
const START = new RegExp(
  `^\\ufeff?${BLANK}${DOCTYPE}${BLANK}${tag("html")}${BLANK}${tag("head")}`,
  "i",
);

/**
 * A view's document with the guard as its first script. The script is placed where it changes
 * neither the mode of the document nor its tree, adds no line, and removes its own element.
 */
export function guardDocument(html: string): string {
  const at = START.exec(html)?.[0].length ?? 0;
  return `${html.slice(0, at)}<script>${GUARD_SCRIPT}</script>${html.slice(at)}`;
}
