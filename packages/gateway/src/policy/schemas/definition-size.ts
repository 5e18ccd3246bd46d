/** Limits for a server's definition. */
export interface DefinitionLimits {
  characters: number;
  depth: number;
}

/**
 * Approximate length of a value as JSON. Undefined if it is longer than the limit or nested deeper. Stops
 * there, so that its own work is bounded too.
 */
export function definitionSize(
  value: unknown,
  { characters, depth }: DefinitionLimits,
): number | undefined {
  let size = 0;
  /** Returns false once a limit is exceeded. */
  const add = (part: unknown, level: number): boolean => {
    size += typeof part === "string" ? part.length + 2 : 4;
    if (size > characters) return false;
    if (typeof part !== "object" || part === null) return true;
    if (level >= depth) return false;
    if (Array.isArray(part)) return part.every((item) => add(item, level + 1));
    return Object.entries(part).every(([key, member]) => {
      size += key.length + 4;
      return add(member, level + 1);
    });
  };
  return add(value, 0) ? size : undefined;
}
