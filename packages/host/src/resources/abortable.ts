/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export async function abortable<T>(
  promise: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  let fail = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail);
  });
  try {
    // A race handles both, so a later failure isn't an unhandled rejection.
    return await Promise.race([aborted, promise]);
  } finally {
    // A signal may outlive many requests, so each removes its listener.
    signal.removeEventListener("abort", fail);
  }
}
