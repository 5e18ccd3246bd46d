import { UpstreamError } from "../upstream.ts";

const NEWLINE = 0x0a;

/** Splits bytes into lines of bounded length; each byte is looked at once. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  /** `limit`: bytes of one line. */
  constructor({ limit }: { limit: number }) {
    this.#limit = limit;
  }

  /** The lines that are whole. Throws `too-large` when one outgrows the limit. */
  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#size = 0;
      yield line;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) {
      const message = `The server wrote a line of more than ${this.#limit} bytes.`;
      throw new UpstreamError("too-large", message, { sent: true });
    }
    this.#parts.push(part);
  }
}
