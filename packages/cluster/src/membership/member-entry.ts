// The value of a lease: what a process tells the others about itself. Entries of older programs lack some of it.

import type { MemberFacts, Role } from "@vitrine/gateway/cluster-port";
import type { Entry } from "@vitrine/gateway/engine";
import { readWire, type WireRange } from "./wire-version.ts";

/** The content of a lease. */
export interface MemberEntry {
  readonly epoch: number;
  readonly roles: readonly Role[];
  readonly wire: WireRange;
  readonly facts: MemberFacts;
}

/** Reads a lease. Its first write can't contain its own revision, so then the entry's revision is the epoch. */
export function readEntry({ value, revision }: Entry): MemberEntry {
  const {
    epoch = revision,
    roles,
    wire,
    facts,
  } = JSON.parse(Buffer.from(value).toString()) as {
    epoch?: number;
    roles: readonly Role[];
    wire?: unknown;
    facts?: MemberFacts;
  };
  return { epoch, roles, wire: readWire(wire), facts: Object(facts) as MemberFacts };
}

/** Writes a lease. `epoch` is unknown in its first write. */
export function writeEntry(
  entry: Omit<MemberEntry, "epoch"> & { epoch: number | undefined },
): Uint8Array {
  return Buffer.from(JSON.stringify(entry));
}
