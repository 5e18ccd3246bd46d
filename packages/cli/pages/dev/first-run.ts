// Which tool the page runs by itself, so that the first view needs no click.

import type { Tool } from "@vitrine/protocol/apps";
import { isVisibleTo, toolResourceUri } from "@vitrine/protocol/apps/discovery";

/** Where the tools are from. */
export interface FirstRunOptions {
  /** The server as the user typed it. */
  target: string;
  /** The tool that the user selected last in this tab. */
  selected?: string | undefined;
}

/**
 * The tool to run at the start: one with a view that needs no input. A tool that declares to change
 * something waits for the user, and so does every tool of a server elsewhere that doesn't call itself
 * read-only.
 */
export function firstRun(
  tools: readonly Tool[],
  { target, selected }: FirstRunOptions,
): Tool | undefined {
  const isFree = (tool: Tool): boolean =>
    toolResourceUri(tool).uri !== undefined &&
    isVisibleTo(tool, "model") &&
    !needsInput(tool.inputSchema) &&
    isHarmless(tool, isLocal(target));
  const last = tools.find(({ name }) => name === selected);
  if (last) return isFree(last) ? last : undefined;
  return tools.find(isFree);
}

/** Whether a schema has required properties; anything unusual counts as a yes. */
function needsInput(schema: unknown): boolean {
  const { type = "object", required, anyOf, oneOf, allOf } = Object(schema);
  if (type !== "object" || anyOf || oneOf || allOf) return true;
  return required !== undefined && !(Array.isArray(required) && required.length === 0);
}

function isHarmless({ annotations }: Tool, isOurs: boolean): boolean {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  if (readOnlyHint === true) return true;
  return isOurs && readOnlyHint === undefined && destructiveHint !== true;
}

/** A program that we started, or an address of this machine. */
function isLocal(target: string): boolean {
  if (!/^https?:/i.test(target)) return true;
  const { hostname } = URL.canParse(target) ? new URL(target) : { hostname: "" };
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
