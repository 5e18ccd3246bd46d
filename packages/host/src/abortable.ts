/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export async function abortable<T>(
  promise: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.throwIfAborted();
    const fail = (): void => reject(signal.reason);
    // A signal may outlive many requests: none leaves its listener behind.
    signal.addEventListener("abort", fail, { signal: settled.signal });
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    settled.abort();
  }
}
