import { UpstreamError } from "../upstream.ts";

/** One event; `data` lines joined. */
export interface StreamEvent {
  type: string;
  data: string;
  /** The newest id of the stream, for who wants to go on from here. */
  id: string | undefined;
}

/**
 * Splits a server-sent event stream as it arrives. `push` gives the events that are whole; it throws
 * `too-large` when one outgrows the limit and `malformed` when the bytes are not UTF-8. Each byte is
 * looked at once, however small the pieces are.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #limit: number;
  #line: string[] = [];
  #data: string[] = [];
  #type = "";
  #id: string | undefined;
  #size = 0;
  #isAfterReturn = false;

  /** `limit`: bytes of one event. */
  constructor({ limit }: { limit: number }) {
    this.#limit = limit;
  }

  *push(bytes: Uint8Array): Generator<StreamEvent> {
    let text = this.#decode(bytes);
    // CR LF is one line end, even when a piece ends between the two.
    if (this.#isAfterReturn && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#isAfterReturn = false;
    let from = 0;
    for (const end of text.matchAll(/\r\n|\n|\r/g)) {
      this.#take(text.slice(from, end.index));
      from = end.index + end[0].length;
      this.#isAfterReturn = end[0] === "\r" && from === text.length;
      const event = this.#endLine();
      if (event) yield event;
    }
    if (from < text.length) this.#take(text.slice(from));
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new UpstreamError("malformed", "The server's stream is not UTF-8.", { sent: true });
    }
  }

  #take(piece: string): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) {
      const message = `An event of the server's stream is larger than ${this.#limit} bytes.`;
      throw new UpstreamError("too-large", message, { sent: true });
    }
    this.#line.push(piece);
  }

  #endLine(): StreamEvent | undefined {
    const line = this.#line.join("");
    this.#line = [];
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else {
      // A comment that keeps the stream alive adds nothing to the event.
      this.#size -= line.length;
      if (field === "event") this.#type = value;
      // Longer ids could not be sent back in a header.
      else if (field === "id" && value.length <= 1024 && !value.includes("\0")) this.#id = value;
    }
    return undefined;
  }

  #endEvent(): StreamEvent | undefined {
    const data = this.#data;
    const type = this.#type || "message";
    this.#data = [];
    this.#type = "";
    this.#size = 0;
    return data.length === 0 ? undefined : { type, data: data.join("\n"), id: this.#id };
  }
}
