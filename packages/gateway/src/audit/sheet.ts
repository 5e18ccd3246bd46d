const LINE_END = 10;

/** Bytes that a sheet has room for. */
export interface SheetSize {
  head: number;
  lines: number;
  tail: number;
}

/**
 * Lines of ASCII, collected as the bytes they are written as, with room in front for a head that is known only
 * when they are complete. One text of all of them, and its copy as bytes, would cost twice as much.
 */
export class Sheet {
  readonly bytes: Buffer;
  readonly #start: number;
  readonly #most: number;
  /** Where the next line begins. */
  end: number;
  /** How many lines there are. */
  count = 0;

  constructor({ head, lines, tail }: SheetSize) {
    this.bytes = Buffer.allocUnsafeSlow(head + lines + tail);
    this.#start = head;
    this.#most = head + lines;
    this.end = head;
  }

  /** Bytes of its lines. */
  get size(): number {
    return this.end - this.#start;
  }

  hasRoom(bytes: number): boolean {
    return this.end + bytes <= this.#most;
  }

  /** Adds a line; `lead` bytes in front of it are left to the caller. */
  add(line: string, lead = 0): void {
    const end = this.end + lead + line.length;
    this.bytes.write(line, this.end + lead, "latin1");
    this.bytes[end] = LINE_END;
    this.end = end + 1;
    this.count += 1;
  }

  /** Its lines, behind a head. */
  under(head: string): Buffer {
    const from = this.#start - head.length;
    this.bytes.write(head, from, "latin1");
    return this.bytes.subarray(from, this.end);
  }

  /** Its lines. */
  get body(): Buffer {
    return this.bytes.subarray(this.#start, this.end);
  }

  /** Begins anew; what was given away of it is no longer what it was. */
  clear(): void {
    this.end = this.#start;
    this.count = 0;
  }
}
