/**
 * True for the MIME type of a UI resource, in any spelling: the media type and parameter names are
 * case-insensitive, blanks and quotes are ignored, and `charset=utf-8` is allowed.
 */
export function isAppMimeType(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const [media = "", ...parameters] = value.split(";").map((part) => part.trim());
  if (media.toLowerCase() !== "text/html") return false;
  const pairs = parameters.map(readParameter);
  // Exactly one profile; a second one could be read differently by the next program.
  return (
    pairs.filter(([name]) => name === "profile").length === 1 &&
    pairs.every(([name, text]) =>
      name === "profile"
        ? text === "mcp-app"
        : name === "charset" && text.toLowerCase() === "utf-8",
    )
  );
}

function readParameter(parameter: string): [name: string, value: string] {
  const at = parameter.indexOf("=");
  const name = parameter.slice(0, Math.max(at, 0)).trim().toLowerCase();
  const value = parameter.slice(at + 1).trim();
  return [name, /^"[^"]*"$/.test(value) ? value.slice(1, -1).trim() : value];
}
