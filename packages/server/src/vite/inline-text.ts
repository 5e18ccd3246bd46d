// Code and styles become the text of elements, and there `</script` and `</style` end the element
// whatever they mean to the language inside. Minifiers escape the first in what they write, and not
// in what plugins add later; nobody escapes the second, and vite-plugin-singlefile knows `</script>`
// in small letters alone.

import { scanTags } from "./html-scan.ts";
import type { ParseScript } from "./script-scan.ts";

/** A script that can stand in a script element; with a parser, throws where it cannot be rewritten. */
export function toInlineScript(code: string, parse?: ParseScript): string {
  const safe = code.replace(/<(?=\/script|!--)/gi, "\\x3C");
  // Outside of a literal the escape is a syntax error, which the parser reports.
  if (safe !== code) parse?.(safe);
  return safe;
}

/** A style sheet that can stand in a style element. */
export function toInlineStyle(css: string): string {
  return css.replace(/<\/(?=style)/gi, "<\\/");
}

/** A document with one more script, before all others. */
export function withScript(html: string, code: string): string {
  // Not before the page says which letters it is written in.
  const { at = html.length } = scanTags(html).find(({ name }) => name === "script") ?? {};
  return `${html.slice(0, at)}<script>${code}</script>\n${html.slice(at)}`;
}
