/** Rejects when the work takes longer than this. The work itself isn't stopped. */
export async function within<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${what} took longer than ${milliseconds / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The message of any thrown value. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
