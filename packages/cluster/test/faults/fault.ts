/** A fault that can be injected and healed. */
export interface Fault {
  /** A description of the fault. */
  readonly name: string;
  /** Injects the fault. */
  inject(): Promise<void> | void;
  /** Heals the fault; resolves when that is done. */
  heal(): Promise<void> | void;
}

/** Injects a fault while `run` runs, and always heals it. */
export async function during<T>(fault: Fault, run: () => Promise<T>): Promise<T> {
  await fault.inject();
  try {
    return await run();
  } finally {
    await fault.heal();
  }
}
