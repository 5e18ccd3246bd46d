import type { Dispatcher, Pool } from "undici";
import type { MessageText } from "../../json-rpc/serialize.ts";
import { UpstreamError } from "../upstream.ts";
import type { TrafficLimits } from "./connection.ts";
import { EventStreamParser, type StreamEvent } from "./event-stream.ts";

// How long a stream that has given its answer may take to end.
const GRACE = 100;

const JSON_TYPE = "application/json";
// Whole texts only, so that one will do for all: to make one costs more than to decode.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** One HTTP request and what to do with its stream. */
export interface Trip {
  method: "POST" | "GET" | "DELETE";
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: MessageText;
  limits: TrafficLimits;
  /** The server answers with an event stream. */
  onOpen?(headers: Headers): void;
  /** An event of it; true when no more is wanted. */
  onEvent?(event: StreamEvent): boolean | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How a request ended. */
export interface Arrival {
  status: number;
  headers: Headers;
  /** The body, if it is JSON; undefined for a stream, which was handed on event by event. */
  text: string | undefined;
  isStream: boolean;
}

/** A request under way. */
export interface Traveller {
  readonly done: Promise<Arrival>;
  /** Ends it: the connection is given up, which is how a server of 2026-07-28 is told to stop. */
  abort(reason: UpstreamError): void;
}

/** Sends a request; no redirect is followed, nothing is unpacked, nothing is repeated. */
export function roundTrip(pool: Pool, trip: Trip): Traveller {
  const handler = new TripHandler(trip);
  const { method, path, headers, body = null } = trip;
  try {
    pool.dispatch({ method, path, headers, body }, handler);
  } catch (error) {
    handler.fail(new UpstreamError("malformed", "The request cannot be sent.", { cause: error }));
  }
  return handler;
}

/** Takes a response as it comes from the socket: no streams in between. */
class TripHandler implements Dispatcher.DispatchHandler, Traveller {
  readonly done: Promise<Arrival>;
  readonly #trip: Trip;
  #resolve!: (arrival: Arrival) => void;
  #reject!: (error: UpstreamError) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #reason: UpstreamError | undefined;
  #isOver = false;
  #status = 0;
  #headers: Headers = {};
  #events: EventStreamParser | undefined;
  #chunks: Buffer[] | undefined;
  #bytes = 0;
  #messages = 0;
  #grace: NodeJS.Timeout | undefined;

  constructor(trip: Trip) {
    this.#trip = trip;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get #wasSent(): boolean {
    return this.#controller !== undefined;
  }

  abort(reason: UpstreamError): void {
    if (!this.#isOver) this.fail(reason.with({ sent: this.#wasSent }));
  }

  /** Rejects, and gives up the connection. */
  fail(error: UpstreamError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reason = error;
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection: it must not leave.
    if (this.#reason) controller.abort(this.#reason);
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      // Nothing was asked to be packed; what unpacks to a thousand times its size is not let in.
      this.#refuse(`The server packed its answer (${encoding}) without being asked to.`);
      return;
    }
    const type = mediaTypeOf(headers["content-type"]);
    if (type === JSON_TYPE) this.#chunks = [];
    else if (type === "text/event-stream" && status === 200) {
      this.#events = new EventStreamParser({ limit: this.#trip.limits.message });
      this.#trip.onOpen?.(headers);
    }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isOver) {
      this.#letGo();
      return;
    }
    this.#bytes += chunk.length;
    const { message, stream } = this.#trip.limits;
    if (this.#events) {
      if (this.#bytes > stream) this.#tooLarge(stream);
      else this.#pushEvents(this.#events, chunk);
    } else if (this.#bytes > message) this.#tooLarge(message);
    else this.#chunks?.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#grace);
    if (this.#isOver) return;
    try {
      this.#arrive(this.#chunks && utf8.decode(joined(this.#chunks)));
    } catch {
      this.#refuse("The server's answer is not UTF-8.");
    }
  }

  onResponseError(_: unknown, error: Error): void {
    clearTimeout(this.#grace);
    if (this.#isOver) return;
    this.#isOver = true;
    const sent = this.#wasSent;
    if (error instanceof UpstreamError) {
      this.#reject(error.with({ sent }));
      return;
    }
    const message = sent
      ? "The connection to the server was lost."
      : "The server cannot be reached.";
    this.#reject(new UpstreamError("unreachable", message, { sent, cause: error }));
  }

  #pushEvents(parser: EventStreamParser, chunk: Buffer): void {
    try {
      for (const event of parser.push(chunk)) {
        if (++this.#messages > this.#trip.limits.messages) {
          this.#refuse(`The server sent more than ${this.#messages - 1} messages.`);
        } else if (this.#trip.onEvent?.(event)) this.#finish();
        if (this.#isOver) return;
      }
    } catch (error) {
      if (error instanceof UpstreamError) this.fail(error);
      else this.fail(new UpstreamError("malformed", "An event broke us.", { cause: error }));
    }
  }

  /** All that was wanted has come. A stream that ends now leaves its connection to the next request. */
  #finish(): void {
    this.#arrive(undefined);
    this.#grace = setTimeout(() => this.#letGo(), GRACE);
  }

  #letGo(): void {
    clearTimeout(this.#grace);
    this.#controller?.abort(new UpstreamError("closed", "No more is wanted."));
  }

  #arrive(text: string | undefined): void {
    this.#isOver = true;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      text,
      isStream: this.#events !== undefined,
    });
  }

  #refuse(message: string): void {
    this.fail(new UpstreamError("malformed", message, { sent: true, status: this.#status }));
  }

  #tooLarge(limit: number): void {
    const message = `The server's answer is larger than ${limit} bytes.`;
    this.fail(new UpstreamError("too-large", message, { sent: true, status: this.#status }));
  }
}

function mediaTypeOf(header: string | string[] | undefined): string | undefined {
  if (header === JSON_TYPE) return header;
  return `${header ?? ""}`.split(";", 1)[0]?.trim().toLowerCase();
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}
