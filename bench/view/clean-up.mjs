/**
 * Stops everything that was started, the last first. Being stopped while something is still
 * starting is the case that leaves browsers behind, so what comes too late is stopped at once.
 */
export function createCleanUp() {
  const stops = [];
  let over = false;
  return {
    async add(stop) {
      stops.push(stop);
      if (!over) return;
      await stop();
      throw new Error("stopped while starting");
    },
    async run() {
      over = true;
      for (const stop of stops.toReversed()) await stop();
    },
  };
}
