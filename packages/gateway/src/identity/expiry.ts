/** The longest delay that `setTimeout` accepts; a longer one fires immediately. */
const LONGEST = 2 ** 31 - 1;

/** Whether a credential has expired; one without an expiry never does. */
export function isExpired(expires: number | undefined, now: number = Date.now()): boolean {
  return expires !== undefined && expires <= now;
}

/** Calls `fn` when a credential expires, in milliseconds since 1970. Returns an unsubscribe function. */
export function onExpiry(expires: number | undefined, fn: () => void): () => void {
  if (expires === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const rest = expires - Date.now();
    if (rest <= 0) fn();
    else timer = setTimeout(wait, Math.min(rest, LONGEST)).unref();
  };
  timer = setTimeout(wait, 0).unref();
  return () => clearTimeout(timer);
}
