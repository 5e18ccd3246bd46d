/** Bounds on what is kept of messages that do not fit into one. */
export interface PiecesOptions {
  /** Bytes of a piece. */
  size: number;
  /** Bytes that are kept of all messages together. */
  most?: number;
  /** Milliseconds after its last piece that a message is kept. */
  keep?: number;
}

interface Heap {
  pieces: Uint8Array[];
  timer: NodeJS.Timeout;
}

/** Messages larger than the engine takes, in pieces that it does. */
export class Pieces {
  readonly #options: Required<PiecesOptions>;
  readonly #heaps = new Map<string, Heap>();
  #bytes = 0;

  constructor(options: PiecesOptions) {
    this.#options = { most: 64 * 2 ** 20, keep: 30_000, ...options };
  }

  /** Whether a message is one piece. */
  fits({ length }: Uint8Array): boolean {
    return length <= this.#options.size;
  }

  /** Cuts a message; most are one piece. */
  split(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
    const { size } = this.#options;
    const rest: Uint8Array[] = [];
    for (let at = size; at < bytes.length; at += size) rest.push(bytes.subarray(at, at + size));
    return [bytes.subarray(0, size), ...rest];
  }

  /** Keeps pieces under a name; false when there is no room. */
  keep(name: string, pieces: readonly Uint8Array[]): boolean {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    if (this.#bytes + bytes > this.#options.most) return false;
    const heap = this.#heaps.get(name);
    clearTimeout(heap?.timer);
    const timer = setTimeout(() => this.take(name), this.#options.keep);
    timer.unref();
    this.#heaps.set(name, { pieces: [...(heap?.pieces ?? []), ...pieces], timer });
    this.#bytes += bytes;
    return true;
  }

  /** The piece at a place, which stays. */
  at(name: string, place: number): Uint8Array | undefined {
    return this.#heaps.get(name)?.pieces[place];
  }

  /** All that was kept under a name, which is free again. */
  take(name: string): Uint8Array[] {
    const heap = this.#heaps.get(name);
    if (!heap) return [];
    clearTimeout(heap.timer);
    this.#heaps.delete(name);
    for (const { length } of heap.pieces) this.#bytes -= length;
    return heap.pieces;
  }

  close(): void {
    for (const name of [...this.#heaps.keys()]) this.take(name);
  }
}
