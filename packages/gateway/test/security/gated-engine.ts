import { createMemoryEngine, type Engine } from "@vitrine/gateway/engine";

/** A real engine whose log appends when `gate` resolves, and fails when it rejects. */
export function gatedEngine(gate: () => Promise<unknown>): Engine {
  const engine = createMemoryEngine();
  const { log } = engine;
  const append: typeof log.append = async (...args) => {
    await gate();
    return log.append(...args);
  };
  const read: typeof log.read = (...args) => log.read(...args);
  const bounds: typeof log.bounds = (...args) => log.bounds(...args);
  const rest = { trim: log.trim.bind(log) };
  return { ...engine, log: { append, read, bounds, ...rest } };
}
