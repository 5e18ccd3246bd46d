/** Bounds on what is kept of messages that do not fit into one. */
export interface PiecesOptions {
  /** Bytes of a piece, as UTF-8. */
  size: number;
  /** Characters that are kept of all messages together. */
  most?: number;
  /** Milliseconds after its last piece that a message is kept. */
  keep?: number;
}

interface Heap {
  pieces: string[];
  timer: NodeJS.Timeout;
}

/** Bytes that a character takes at most; the two halves of one beyond U+FFFF have two each. */
const WIDEST = 3;

/** Messages larger than the engine takes, in pieces that it does. */
export class Pieces {
  readonly #options: Required<PiecesOptions>;
  readonly #heaps = new Map<string, Heap>();
  #length = 0;

  constructor(options: PiecesOptions) {
    this.#options = { most: 64 * 2 ** 20, keep: 30_000, ...options };
  }

  /** Whether a message is one piece. */
  fits(text: string): boolean {
    const { size } = this.#options;
    return text.length * WIDEST <= size || Buffer.byteLength(text) <= size;
  }

  /** Cuts a message; most are one piece. */
  split(text: string): [string, ...string[]] {
    if (this.fits(text)) return [text];
    const first = this.#cut(text, 0);
    const rest: string[] = [];
    for (let at = first.length; at < text.length; at += rest.at(-1)?.length ?? 0) {
      rest.push(this.#cut(text, at));
    }
    return [first, ...rest];
  }

  /** Keeps pieces under a name; false when there is no room. */
  keep(name: string, pieces: readonly string[]): boolean {
    const length = pieces.reduce((sum, { length }) => sum + length, 0);
    if (this.#length + length > this.#options.most) return false;
    const heap = this.#heaps.get(name);
    clearTimeout(heap?.timer);
    const timer = setTimeout(() => this.take(name), this.#options.keep);
    timer.unref();
    this.#heaps.set(name, { pieces: [...(heap?.pieces ?? []), ...pieces], timer });
    this.#length += length;
    return true;
  }

  /** The piece at a place, which stays. */
  at(name: string, place: number): string | undefined {
    return this.#heaps.get(name)?.pieces[place];
  }

  /** All that was kept under a name, which is free again. */
  take(name: string): string[] {
    const heap = this.#heaps.get(name);
    if (!heap) return [];
    clearTimeout(heap.timer);
    this.#heaps.delete(name);
    for (const { length } of heap.pieces) this.#length -= length;
    return heap.pieces;
  }

  close(): void {
    for (const name of [...this.#heaps.keys()]) this.take(name);
  }

  #cut(text: string, at: number): string {
    const { size } = this.#options;
    const long = text.slice(at, at + size);
    const piece = Buffer.byteLength(long) <= size ? long : long.slice(0, Math.floor(size / WIDEST));
    const isWhole = at + piece.length === text.length;
    // Halves of a character on their own would not be the same after the way.
    return isWhole || !endsInHalf(piece) ? piece : piece.slice(0, -1);
  }
}

function endsInHalf(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
