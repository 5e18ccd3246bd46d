/** The longest time that the event loop didn't turn while `work` ran, in milliseconds. */
export async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const measure = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 2);
  try {
    await work();
  } finally {
    measure();
    clearInterval(timer);
  }
  return longest;
}
