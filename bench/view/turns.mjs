/**
 * Where the bench and the Host page meet. The page asks over HTTP for its next turn and brings the
 * outcome of the last; the bench hands out a turn and waits for that outcome.
 */
export function createTurns() {
  let asked = Promise.withResolvers();
  let current;
  return {
    /** The page's side: takes an outcome, resolves to the next turn, or to null at the end. */
    exchange(outcome) {
      current?.resolve(outcome);
      const next = Promise.withResolvers();
      asked.resolve(next);
      return next.promise;
    },
    /** The bench's side: resolves to what the page measured. */
    async take(turn) {
      const next = await asked.promise;
      asked = Promise.withResolvers();
      current = Promise.withResolvers();
      next.resolve(turn);
      const { samples, error } = await current.promise;
      if (error) throw new Error(`The Host page failed: ${error}`);
      return samples;
    },
  };
}
