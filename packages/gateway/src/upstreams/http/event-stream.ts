import { createParser, type EventSourceParser } from "eventsource-parser";
import { UpstreamError } from "../upstream.ts";

/** One event. Its `data` lines are joined. */
export interface StreamEvent {
  type: string;
  data: string;
  /** The last event id of the stream, to resume from. */
  id: string | undefined;
}

/** A longer id wouldn't fit in a header. */
const LONGEST_ID = 1024;

/**
 * Parses a server-sent event stream as it arrives. `push` yields the complete events. It throws `too-large`
 * when an incomplete event exceeds the limit and `malformed` when the bytes aren't UTF-8.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #parser: EventSourceParser;
  #events: StreamEvent[] = [];
  #id: string | undefined;
  #error: UpstreamError | undefined;
  #isAfterReturn = false;

  /** `limit`: maximum characters of one event. */
  constructor({ limit }: { limit: number }) {
    this.#parser = createParser({
      maxBufferSize: limit,
      onEvent: ({ event = "message", data, id }) => {
        if (id !== undefined && id.length <= LONGEST_ID) this.#id = id;
        this.#events.push({ type: event, data, id: this.#id });
      },
      // Unknown fields are errors to the parser, but the specification ignores them.
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#error = tooLarge(limit);
      },
    });
  }

  *push(bytes: Uint8Array): Generator<StreamEvent> {
    let text = this.#decode(bytes);
    if (this.#isAfterReturn && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#isAfterReturn = text.endsWith("\r");
    // After a CR at the end of a chunk the parser would wait for the next chunk, which may start with the LF.
    this.#parser.feed(text.replace(/\r\n?/g, "\n"));
    const events = this.#events;
    this.#events = [];
    yield* events;
    if (this.#error) throw this.#error;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new UpstreamError("malformed", "The server's stream isn't UTF-8.", { sent: true });
    }
  }
}

function tooLarge(limit: number): UpstreamError {
  const message = `An event of the server's stream is larger than ${limit} bytes.`;
  return new UpstreamError("too-large", message, { sent: true });
}
