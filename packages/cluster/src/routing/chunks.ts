/** Limits for bodies that don't fit into one message. */
export interface ChunksOptions {
  /** Bytes of a chunk, as UTF-8. */
  size: number;
  /** Characters that are kept for all requests together. */
  most?: number;
  /** Milliseconds for which chunks are kept after the last one was added. */
  keep?: number;
}

interface Kept {
  chunks: string[];
  timer: NodeJS.Timeout;
}

/** Most bytes of a UTF-16 code unit in UTF-8; a surrogate has two. */
const WIDEST = 3;

/** Splits bodies that are larger than a message of the engine, and keeps their chunks. */
export class Chunks {
  readonly #options: Required<ChunksOptions>;
  readonly #kept = new Map<string, Kept>();
  #length = 0;

  constructor(options: ChunksOptions) {
    this.#options = { most: 64 * 2 ** 20, keep: 30_000, ...options };
  }

  /** Splits a body; most are one chunk. */
  split(text: string): [string, ...string[]] {
    if (Buffer.byteLength(text) <= this.#options.size) return [text];
    const first = this.#cut(text, 0);
    const rest: string[] = [];
    for (let at = first.length; at < text.length; at += rest.at(-1)?.length ?? 0) {
      rest.push(this.#cut(text, at));
    }
    return [first, ...rest];
  }

  /** Adds chunks under a name. Returns false if they don't fit. */
  keep(name: string, chunks: readonly string[]): boolean {
    const length = chunks.reduce((sum, { length }) => sum + length, 0);
    if (this.#length + length > this.#options.most) return false;
    const kept = this.#kept.get(name);
    clearTimeout(kept?.timer);
    const timer = setTimeout(() => this.take(name), this.#options.keep);
    timer.unref();
    this.#kept.set(name, { chunks: [...(kept?.chunks ?? []), ...chunks], timer });
    this.#length += length;
    return true;
  }

  /** Returns one chunk and keeps it. */
  at(name: string, place: number): string | undefined {
    return this.#kept.get(name)?.chunks[place];
  }

  /** Removes and returns the chunks of a name. */
  take(name: string): string[] {
    const kept = this.#kept.get(name);
    if (!kept) return [];
    clearTimeout(kept.timer);
    this.#kept.delete(name);
    for (const { length } of kept.chunks) this.#length -= length;
    return kept.chunks;
  }

  close(): void {
    for (const name of [...this.#kept.keys()]) this.take(name);
  }

  #cut(text: string, at: number): string {
    const { size } = this.#options;
    const long = text.slice(at, at + size);
    const chunk = Buffer.byteLength(long) <= size ? long : long.slice(0, Math.floor(size / WIDEST));
    const isWhole = at + chunk.length === text.length;
    // Half a surrogate pair can't be encoded as UTF-8.
    return isWhole || !endsInHalf(chunk) ? chunk : chunk.slice(0, -1);
  }
}

function endsInHalf(text: string): boolean {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
