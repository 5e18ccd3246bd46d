import { createAllowance } from "./entry-allowance.ts";
import type { RelayLimits } from "./page-settings.ts";

/** Entries a second that the host's own pages can need while nobody uses the view. */
const HOST_RATE = 0.2;

/**
 * Compares the length of the page's history with the last time, and returns true once too many entries
 * were added. All frames of a page share one history of 50 entries (Chromium), so a view that adds many
 * traps Back and pushes out the host's own. The guard limits the view's document; this notices the
 * entries of frames that the guard can't see. Those of the host count as well, so the bound is generous.
 */
export function createHistoryWatch({ entries }: RelayLimits): () => boolean {
  const isTooMany = createAllowance(
    { most: entries, idleRate: HOST_RATE },
    {
      now: () => performance.now(),
      isActive: () => navigator.userActivation?.isActive ?? false,
    },
  );
  let known = history.length;
  return () => {
    const added = Math.max(0, history.length - known);
    known = history.length;
    return isTooMany(added);
  };
}
