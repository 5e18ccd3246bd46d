/** Bounds on a definition of a server. */
export interface DefinitionLimits {
  characters: number;
  depth: number;
}

/**
 * About how many characters a value has as JSON; nothing if it has more than the limit or is nested deeper.
 * It stops there, so that its own work is bounded too.
 */
export function definitionSize(value: unknown, limits: DefinitionLimits): number | undefined {
  const measure = new Measure(limits);
  return measure.add(value, 0) ? measure.size : undefined;
}

class Measure {
  size = 0;
  readonly #limits: DefinitionLimits;

  constructor(limits: DefinitionLimits) {
    this.#limits = limits;
  }

  /** False once it is too much. */
  add(part: unknown, depth: number): boolean {
    this.size += typeof part === "string" ? part.length + 2 : 4;
    if (this.size > this.#limits.characters) return false;
    if (typeof part !== "object" || part === null) return true;
    if (depth >= this.#limits.depth) return false;
    return Array.isArray(part)
      ? part.every((item) => this.add(item, depth + 1))
      : this.#addMembers(part as Record<string, unknown>, depth);
  }

  #addMembers(members: Record<string, unknown>, depth: number): boolean {
    return Object.keys(members).every((key) => {
      this.size += key.length + 4;
      return this.add(members[key], depth + 1);
    });
  }
}
