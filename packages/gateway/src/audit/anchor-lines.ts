// Reads an anchor: lines with checkpoints, or with heads of version 0.1, that were stored elsewhere.

import type { ChainKey } from "./chain-key.ts";
import { isCheckpoint, openCheckpoint, publicKeysOf } from "./checkpoint.ts";
import type { Finding } from "./finding.ts";
import { keyOfHead, type OpenedHead, openHead } from "./sealed-head.ts";

/** The heads of an anchor. Lines that none of the keys made are findings. */
export function openAnchor(
  lines: readonly string[],
  keys: readonly ChainKey[],
  findings: Finding[],
): OpenedHead[] {
  const publicKeys = publicKeysOf(keys);
  const heads: OpenedHead[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const head = isCheckpoint(line) ? openCheckpoint(line, publicKeys) : openHead(line, keys);
    if (head) heads.push(head);
    else
      findings.push({ kind: "changed", text: `Line ${at + 1} of the anchor ${why(line, keys)}` });
  }
  if (heads.length === 0) {
    findings.push({ kind: "missing", text: "The anchor doesn't contain a head of this log." });
  }
  return heads;
}

function why(line: string, keys: readonly ChainKey[]): string {
  const named = keyOfHead(line);
  if (named === undefined || keys.some(({ id }) => id === named)) {
    return "was not written with the key of this log: it was changed, or belongs to another log.";
  }
  return `was made with the key ${named}, which isn't in audit.key. Add that key as another line of the file, or use the anchor of this log.`;
}
