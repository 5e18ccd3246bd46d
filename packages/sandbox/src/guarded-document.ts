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
 * A view's document with another script before all of its own, where it changes neither the mode of
 * the document nor its tree. For development tools: what they pass to `register` may carry such a
 * script, and runs under the view's own policy. Nothing in this package uses it but the guard.
 */
export function withFirstScript(html: string, code: string): string {
  const at = START.exec(html)?.[0].length ?? 0;
  return `${html.slice(0, at)}<script>${code}</script>${html.slice(at)}`;
}

/** A view's document with the guard as its first script, which adds no line and removes its own element. */
export function guardDocument(html: string): string {
  return withFirstScript(html, GUARD_SCRIPT);
}
