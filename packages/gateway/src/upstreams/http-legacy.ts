// Streamable HTTP before 2026-07-28: the server may assign a session id, which every request must repeat.
// Responses come with the POST, as JSON or at the end of a stream. Changes come with a GET.

import type { MessageText } from "../json-rpc/serialize.ts";
import type { HttpConnection } from "./http/http-connection.ts";
import { statusError } from "./http/http-status.ts";
import { type Arrival, roundTrip, type Traveller } from "./http/round-trip.ts";
import { SessionLostError } from "./http/session-lost.ts";
import type { Wire } from "./sessions/wire.ts";
import { UpstreamError, type UpstreamScope } from "./upstream.ts";

const ACCEPT = "application/json, text/event-stream";
const SESSION = "mcp-session-id";
// Visible ASCII, as the specification requires. Anything else isn't valid in a header.
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
const CLOSE_TIME = 2000;
/** Milliseconds before an interrupted stream is resumed. */
const RESUME_TIME = 1000;

/** One session over HTTP. */
export class LegacyHttpWire implements Wire {
  onmessage: Wire["onmessage"] = () => {};
  onlost: Wire["onlost"] = () => {};
  /** The scope whose headers are sent. Tokens change while a session lasts. */
  scope: UpstreamScope;
  /** The protocol version that the handshake negotiated. */
  version: string | undefined;
  readonly #connection: HttpConnection;
  readonly #trips = new Map<number, Traveller | undefined>();
  #changes: Traveller | undefined;
  #session: string | undefined;
  #isClosed = false;

  constructor(connection: HttpConnection, scope: UpstreamScope) {
    this.#connection = connection;
    this.scope = scope;
  }

  async send(text: MessageText, id?: number): Promise<void> {
    if (this.#isClosed) throw new UpstreamError("closed", "The session was closed.");
    if (id !== undefined) return this.#request(text, id);
    const arrival = await this.#post(text).done;
    if (arrival.status >= 300) throw this.#refusal(arrival);
  }

  forget(id: number, isAnswered: boolean): void {
    const trip = this.#trips.get(id);
    this.#trips.delete(id);
    if (!isAnswered) trip?.abort(new UpstreamError("aborted", "The caller cancelled the call."));
  }

  /** Opens the stream of changes. Resolves when it is open, and rejects if the server has none. */
  openChanges(): Promise<{ closed: Promise<void>; stop(): void }> {
    return new Promise((resolve, reject) => {
      const trip = this.#get({
        onOpen: () => resolve({ closed: Promise.allSettled([trip.done]).then(() => {}), stop }),
      });
      const stop = (): void =>
        trip.abort(new UpstreamError("aborted", "There are no subscribers left."));
      this.#changes = trip;
      trip.done.then((arrival) => reject(this.#refusal(arrival)), reject);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason = new UpstreamError("closed", "The session was closed.");
    this.#changes?.abort(reason);
    for (const trip of this.#trips.values()) trip?.abort(reason);
    this.onlost(reason.with({ sent: true }));
    if (this.#session === undefined) return;
    const trip = roundTrip(this.#connection.pool, {
      method: "DELETE",
      path: this.#path,
      headers: this.#headers({}),
      limits: this.#connection.limits,
    });
    const timer = setTimeout(() => trip.abort(reason), CLOSE_TIME);
    // Best effort: the session also expires on a server that can't be reached.
    await Promise.allSettled([trip.done]);
    clearTimeout(timer);
  }

  async #request(text: MessageText, id: number): Promise<void> {
    const position: StreamPosition = { id, last: undefined };
    const trip = this.#post(text, this.#handlersFor(position));
    this.#trips.set(id, trip);
    try {
      const arrival = await trip.done;
      this.#noteSession(arrival);
      if (arrival.status >= 300) throw this.#refusal(arrival, id);
      if (arrival.text !== undefined) this.onmessage(arrival.text, id);
    } catch (error) {
      if (!isBroken(error) || position.last === undefined) throw error;
    }
    while (this.#trips.has(id)) await this.#resumeStream(position);
  }

  #handlersFor(position: StreamPosition): StreamHandlers {
    return {
      onEvent: ({ data, id }) => {
        position.last = id;
        // An event without data only carries the id from which the stream can be resumed.
        if (data !== "") this.onmessage(data, position.id);
        return !this.#trips.has(position.id);
      },
    };
  }

  /** Resumes a stream that the server closed, from the last event id (2025-11-25). */
  async #resumeStream(position: StreamPosition): Promise<void> {
    const { id, last } = position;
    if (last === undefined) throw lost("The server's stream ended without a response.");
    await new Promise((resolve) => setTimeout(resolve, RESUME_TIME));
    if (!this.#trips.has(id)) return;
    position.last = undefined;
    const trip = this.#get({ headers: { "last-event-id": last }, ...this.#handlersFor(position) });
    this.#trips.set(id, trip);
    try {
      const { status } = await trip.done;
      // Lost for any reason, because the request itself has already arrived.
      if (status >= 300) throw lost(`The server doesn't resume its stream (${status}).`);
    } catch (error) {
      if (!isBroken(error) || position.last === undefined) throw error;
    }
  }

  #post(text: MessageText, handlers: StreamHandlers = {}): Traveller {
    const { pool, limits } = this.#connection;
    return roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers({ "content-type": "application/json" }),
      body: text,
      limits,
      onOpen: (headers) => this.#noteSession({ headers, status: 200 }),
      ...handlers,
    });
  }

  #get({
    headers = {},
    ...handlers
  }: StreamHandlers & { headers?: Record<string, string> }): Traveller {
    const { pool, limits } = this.#connection;
    return roundTrip(pool, {
      method: "GET",
      path: this.#path,
      headers: this.#headers(headers),
      limits: { ...limits, stream: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY },
      onEvent: ({ data }) => {
        if (data !== "") this.onmessage(data);
        return false;
      },
      ...handlers,
    });
  }

  get #path(): string {
    const { pathname, search } = this.#connection.url;
    return pathname + search;
  }

  #headers(own: Record<string, string>): Record<string, string> {
    return this.#connection.headers(this.scope, {
      accept: ACCEPT,
      ...own,
      ...(this.#session !== undefined && { [SESSION]: this.#session }),
      ...(this.version !== undefined && { "mcp-protocol-version": this.version }),
    });
  }

  /** Only the response to the handshake sets the session id. */
  #noteSession({ headers, status }: Pick<Arrival, "headers" | "status">): void {
    const id = headers[SESSION];
    if (this.version !== undefined || status >= 300 || typeof id !== "string") return;
    if (SESSION_ID.test(id)) this.#session = id;
  }

  #refusal(arrival: Arrival, id?: number): UpstreamError {
    const { status, text } = arrival;
    // 404 means that the session is unknown. Many servers, copied from an early example, send 400 with a
    // message instead.
    const isForgotten =
      status === 404 || (status === 400 && /session/i.test(text?.slice(0, 500) ?? ""));
    if (this.#session !== undefined && isForgotten) return new SessionLostError();
    if (
      status < 500 &&
      status !== 401 &&
      status !== 403 &&
      id !== undefined &&
      text !== undefined
    ) {
      // Some servers refuse with a status and a message. The message is the better response.
      this.onmessage(text, id);
    }
    return statusError(arrival);
  }
}

/** The position of a request in its stream. */
interface StreamPosition {
  id: number;
  last: string | undefined;
}

interface StreamHandlers {
  onOpen?: (headers: Arrival["headers"]) => void;
  onEvent?: (event: { data: string; id: string | undefined }) => boolean;
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof UpstreamError &&
    error.code === "unreachable" &&
    error.facts.status === undefined
  );
}

function lost(message: string): UpstreamError {
  return new UpstreamError("unreachable", message, { sent: true });
}
