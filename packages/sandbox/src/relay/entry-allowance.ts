/** What an allowance needs to know; the guard passes functions that the view can't replace. */
export interface AllowanceClock {
  /** Milliseconds since any fixed point. */
  now(): number;
  /** Whether the user has just acted in the view. */
  isActive(): boolean;
}

/** Entries a second that a user who clicks through a view can need. */
const ACTIVE_RATE = 1;

/**
 * An allowance of entries in the history. It grows back while the user is active in the view, and
 * otherwise by `idleRate` entries a second. Each call uses up a count and returns true if that was
 * too many.
 */
export function createAllowance(
  { most, idleRate }: { most: number; idleRate: number },
  clock: AllowanceClock,
): (count: number) => boolean {
  let left = most;
  let filledAt = clock.now();
  return (count) => {
    const now = clock.now();
    const grown = left + ((now - filledAt) * (clock.isActive() ? ACTIVE_RATE : idleRate)) / 1000;
    left = (grown < most ? grown : most) - count;
    filledAt = now;
    return left < 0;
  };
}
