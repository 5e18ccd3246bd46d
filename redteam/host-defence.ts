import type { Defence } from "./defences.ts";
import type { SourceEdit } from "./stage/source-edits.ts";

/** Replaces text that occurs once in a file; removes it by default. */
export const edit = (file: string, from: string, to = ""): SourceEdit => ({ file, from, to });

/** A defence of the host, taken away by changing its sources on their way into the page. */
export function defence(
  name: string,
  host: readonly SourceEdit[],
  noticedBy: readonly string[],
): Defence & { weakening: { host: readonly SourceEdit[] } } {
  return { name: `host-${name}`, weakening: { host }, stage: "tier-2", noticedBy };
}
