const notes: string[] = [];

/** Keeps what a stack had to say, for the case that something goes wrong. */
export function note(text: string): void {
  if (notes.push(text) > 20) notes.shift();
}

/** The last message. */
export function lastNotes(): string {
  return notes.join("; ");
}
