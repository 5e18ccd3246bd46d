import { setTimeout as sleep } from "node:timers/promises";

/** Reads until it is what is waited for; the last reading either way. */
export async function watch<Reading>(
  read: () => Promise<Reading>,
  enough: (reading: Reading) => boolean,
  patience = 12_000,
): Promise<Reading> {
  const until = performance.now() + patience;
  for (;;) {
    const reading = await read();
    if (enough(reading) || performance.now() > until) return reading;
    await sleep(80);
  }
}
