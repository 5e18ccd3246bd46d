/**
 * Milliseconds of processor time that this process has used. A test that bounds the cost of a computation
 * compares two of these: unlike the time of day, they don't grow while other programs run.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
