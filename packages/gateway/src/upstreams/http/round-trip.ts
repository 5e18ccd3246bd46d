import type { Dispatcher, Pool } from "undici";
import type { MessageText } from "../../json-rpc/serialize.ts";
import { UpstreamError } from "../upstream.ts";
import { EventStreamParser, type StreamEvent } from "./event-stream.ts";
import type { TrafficLimits } from "./http-connection.ts";

// How long a stream may take to end after it delivered the response.
const GRACE = 100;

const JSON_TYPE = "application/json";
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** One HTTP request and what to do with its stream. */
export interface Trip {
  method: "POST" | "GET" | "DELETE";
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: MessageText;
  limits: TrafficLimits;
  /** Called if the server responds with an event stream. */
  onOpen?(headers: Headers): void;
  /** Called for each event. Return true to stop reading. */
  onEvent?(event: StreamEvent): boolean | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How a request ended. */
export interface Arrival {
  status: number;
  headers: Headers;
  /** The body if it is JSON. Undefined for a stream, whose events were passed on. */
  text: string | undefined;
  isStream: boolean;
}

/** A request in progress. */
export interface Traveller {
  readonly done: Promise<Arrival>;
  /** Aborts the request by closing its connection, which tells a 2026-07-28 server to stop. */
  abort(reason: UpstreamError): void;
}

/** Sends a request. Doesn't follow redirects, decompress or retry. */
export function roundTrip(pool: Pool, trip: Trip): Traveller {
  const handler = new TripHandler(trip);
  const { method, path, headers, body = null } = trip;
  try {
    pool.dispatch({ method, path, headers, body }, handler);
  } catch (error) {
    handler.fail(new UpstreamError("malformed", "The request can't be sent.", { cause: error }));
  }
  return handler;
}

/** Handles a response directly from the socket, without streams in between. */
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

  /** Rejects, and closes the connection. */
  fail(error: UpstreamError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reason = error;
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while it waited for a connection, so it must not be sent.
    if (this.#reason) controller.abort(this.#reason);
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      // The request didn't allow compression. A compressed body could expand to a thousand times its size.
      this.#refuse(
        `The server compressed its response (${encoding}), which the request didn't allow.`,
      );
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
      this.#arrive(this.#chunks && utf8.decode(Buffer.concat(this.#chunks)));
    } catch {
      this.#refuse("The server's response isn't UTF-8.");
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
    const message = sent ? "The connection to the server was lost." : "The server is unreachable.";
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
      else this.fail(new UpstreamError("malformed", "An event handler failed.", { cause: error }));
    }
  }

  /** Everything needed has arrived. If the stream ends soon, its connection can be reused. */
  #finish(): void {
    this.#arrive(undefined);
    this.#grace = setTimeout(() => this.#letGo(), GRACE);
  }

  #letGo(): void {
    clearTimeout(this.#grace);
    this.#controller?.abort(new UpstreamError("closed", "The response is complete."));
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
    const message = `The server's response is larger than ${limit} bytes.`;
    this.fail(new UpstreamError("too-large", message, { sent: true, status: this.#status }));
  }
}

function mediaTypeOf(header: string | string[] | undefined): string | undefined {
  return `${header ?? ""}`.split(";", 1)[0]?.trim().toLowerCase();
}
