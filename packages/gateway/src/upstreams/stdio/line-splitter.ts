import { UpstreamError } from "../upstream.ts";

const NEWLINE = 0x0a;

/** Splits bytes into lines of bounded length, scanning each byte once. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  /** `limit`: bytes of one line. */
  constructor({ limit }: { limit: number }) {
    this.#limit = limit;
  }

  /** The complete lines. Throws `too-large` when a line exceeds the limit. */
  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#count(end - from);
      this.#size = 0;
      const start = from;
      from = end + 1;
      yield this.#parts.length === 0
        ? chunk.toString("utf8", start, end)
        : this.#joined(chunk.subarray(start, end));
    }
    if (from === chunk.length) return;
    this.#count(chunk.length - from);
    this.#parts.push(chunk.subarray(from));
  }

  #joined(end: Buffer): string {
    const line = Buffer.concat([...this.#parts, end]).toString("utf8");
    this.#parts = [];
    return line;
  }

  #count(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#limit) {
      const message = `The server wrote a line of more than ${this.#limit} bytes.`;
      throw new UpstreamError("too-large", message, { sent: true });
    }
  }
}
