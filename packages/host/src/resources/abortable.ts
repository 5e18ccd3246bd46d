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
    // A race hears both, so that what fails after it was given up is nobody's unhandled error.
    return await Promise.race([aborted, promise]);
  } finally {
    // A signal may outlive many requests: none leaves its listener behind.
    signal.removeEventListener("abort", fail);
  }
}
