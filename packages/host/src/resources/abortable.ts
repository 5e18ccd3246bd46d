/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export async function abortable<T>(
  promise: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  // Whoever gives up does not hear how it ended.
  promise.catch(() => {});
  signal.throwIfAborted();
  let fail = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    fail = () => reject(signal.reason);
    signal.addEventListener("abort", fail);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    // A signal may outlive many requests: none leaves its listener behind.
    signal.removeEventListener("abort", fail);
  }
}
