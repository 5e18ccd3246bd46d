// The versions of the messages between processes. A process supports its own version and the one before, so that
// gateways can be upgraded one after the other. Each process publishes its range in its membership entry, and
// senders use the newest version that both support.
//
//   4   the format of 0.1; entries of its processes don't name a range
//   5   an envelope names its key, so that the cluster's key can be rotated

/** The versions that a process supports. */
export interface WireRange {
  readonly oldest: number;
  readonly newest: number;
}

/** The versions of this program. */
export const OWN_WIRE: WireRange = { oldest: 4, newest: 5 };
/** The version of a process whose entry doesn't name a range. */
const UNNAMED: WireRange = { oldest: 4, newest: 4 };

/** The newest version that both support. Undefined if there is none. */
export function commonWire(a: WireRange, b: WireRange): number | undefined {
  const newest = Math.min(a.newest, b.newest);
  return newest >= Math.max(a.oldest, b.oldest) ? newest : undefined;
}

/** Reads a range from a membership entry. */
export function readWire(value: unknown): WireRange {
  const { oldest, newest } = Object(value) as Partial<WireRange>;
  const isRange = Number.isSafeInteger(oldest) && Number.isSafeInteger(newest);
  return isRange ? { oldest: oldest as number, newest: newest as number } : UNNAMED;
}

/** `5`, or `4 to 5`. */
export function wireText({ oldest, newest }: WireRange): string {
  return oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
}
