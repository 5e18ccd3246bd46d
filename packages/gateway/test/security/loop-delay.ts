const { threadCpuUsage } = process as unknown as {
  threadCpuUsage(): { user: number; system: number };
};

/**
 * The longest time that this thread worked without a turn of its event loop while `work` ran, in
 * milliseconds. Time in which a busy machine ran other processes doesn't count.
 */
export async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = used();
  const measure = (): void => {
    const now = used();
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

function used(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}
