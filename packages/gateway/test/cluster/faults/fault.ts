/** Something that goes wrong and can be put right again. */
export interface Fault {
  /** What is wrong while it lasts. */
  readonly name: string;
  /** Makes it happen. */
  inject(): Promise<void> | void;
  /** Puts it right; resolves when it is. */
  heal(): Promise<void> | void;
}

/** Has something wrong while `run` runs, and puts it right whatever becomes of that. */
export async function during<T>(fault: Fault, run: () => Promise<T>): Promise<T> {
  await fault.inject();
  try {
    return await run();
  } finally {
    await fault.heal();
  }
}
