import { builtinModules } from "node:module";

const LONGEST = 214;
const WORD = /^[a-z0-9~-][a-z0-9._~-]*$/;
// npm rejects them for new packages; the names of Node's own modules too.
const REFUSED = new Set(["node_modules", "favicon.ico", ...builtinModules]);

/** Why a folder's name can't be an npm package name; nothing if it can. */
export function nameProblem(name: string): string | undefined {
  const better = suggestion(name);
  const remedy = better && better !== name ? ` Try "${better}".` : "";
  if (name.length > LONGEST) return `The name has more than ${LONGEST} characters.`;
  if (REFUSED.has(name)) return `npm reserves the name "${name}".${remedy}`;
  if (WORD.test(name)) return undefined;
  return `"${name}" can't be an npm package name. Use lower-case letters, digits, "-", "." and "_", and don't start with "." or "_".${remedy}`;
}

/** The nearest name that npm accepts. */
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
