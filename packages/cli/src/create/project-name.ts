import { builtinModules } from "node:module";

const LONGEST = 214;
const WORD = /^[a-z0-9~-][a-z0-9._~-]*$/;
// npm refuses them for new packages; the names of Node's own modules too.
const REFUSED = new Set(["node_modules", "favicon.ico", ...builtinModules]);

/** Why a folder's name cannot be an npm package's, in words; nothing if it can. */
export function nameProblem(name: string): string | undefined {
  const better = suggestion(name);
  const remedy = better && better !== name ? ` Try "${better}".` : "";
  if (name.length > LONGEST) return `It has more than ${LONGEST} characters.`;
  if (REFUSED.has(name)) return `npm keeps "${name}" for itself.${remedy}`;
  if (WORD.test(name)) return undefined;
  return `"${name}" cannot be the name of an npm package: small letters, digits, "-", "." and "_" only, and no "." or "_" at the start.${remedy}`;
}

/** The nearest name that npm takes. */
function suggestion(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
    .slice(0, LONGEST);
  return REFUSED.has(words) ? `${words}-app` : words;
}
