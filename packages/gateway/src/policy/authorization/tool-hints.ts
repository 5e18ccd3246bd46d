import type { ToolDefinition } from "../tool-definition.ts";

/** The hints of a tool as policies read them. They are the server's own claims. */
export interface ToolHints {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

/** Reads the hints. The defaults are the specification's: a tool without hints may change and delete things. */
export function hintsOf({ annotations }: Pick<ToolDefinition, "annotations">): ToolHints {
  const hints = Object(annotations) as Record<string, unknown>;
  return {
    readOnly: hints.readOnlyHint === true,
    destructive: hints.readOnlyHint !== true && hints.destructiveHint !== false,
    idempotent: hints.idempotentHint === true,
    openWorld: hints.openWorldHint !== false,
  };
}

/** The hints that are true, for a record. */
export function namesOfHints(tool: ToolDefinition, isApproved: boolean): string {
  const all = Object.entries({ ...hintsOf(tool), approved: isApproved });
  return all.flatMap(([name, isTrue]) => (isTrue ? [name] : [])).join(",");
}

/** A tool with the hints of a record. */
export function toolOfHints(name: string, hints: string): ToolDefinition {
  const names = hints.split(",");
  const annotations = {
    readOnlyHint: names.includes("readOnly"),
    destructiveHint: names.includes("destructive"),
    idempotentHint: names.includes("idempotent"),
    openWorldHint: names.includes("openWorld"),
  };
  return { name, annotations };
}
