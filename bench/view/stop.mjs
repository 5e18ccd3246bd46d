/** Rejects when the process receives a stop signal, or has taken far too long. */
export function untilStopped(seconds, cleanUp) {
  return new Promise((_, reject) => {
    const stop = (reason) => reject(new Error(reason));
    // For good, not once: a second Ctrl-C must not cut the cleaning up short.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => stop(`stopped by ${signal}`));
    }
    const timer = setTimeout(() => stop(`not done after ${seconds} seconds`), seconds * 1_000);
    cleanUp.add(() => clearTimeout(timer));
  });
}
