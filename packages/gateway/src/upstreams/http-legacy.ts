// Streamable HTTP from before 2026-07-28: the server may give the conversation an id, and wants it back with
// every request. Answers come with the POST, as JSON or at the end of a stream; news come with a GET.

import type { MessageText } from "../json-rpc/serialize.ts";
import type { HttpConnection } from "./http/connection.ts";
import { statusError } from "./http/http-status.ts";
import { type Arrival, roundTrip, type Traveller } from "./http/round-trip.ts";
import { SessionLostError } from "./http/session-lost.ts";
import type { Wire } from "./sessions/wire.ts";
import { UpstreamError, type UpstreamScope } from "./upstream.ts";

const ACCEPT = "application/json, text/event-stream";
const SESSION = "mcp-session-id";
// Visible ASCII, as the specification has it; anything else could not be a header.
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
const FAREWELL = 2000;

interface Options {
  scope: UpstreamScope;
  /** Milliseconds before a stream that broke off is taken up again. */
  resume?: number;
}

/** One session over HTTP. */
export class LegacyHttpWire implements Wire {
  onmessage: Wire["onmessage"] = () => {};
  onlost: Wire["onlost"] = () => {};
  /** Whose headers to send: tokens change while a session lasts. */
  scope: UpstreamScope;
  /** What was agreed on in the handshake. */
  version: string | undefined;
  readonly #connection: HttpConnection;
  readonly #resume: number;
  readonly #trips = new Map<number, Traveller | undefined>();
  #news: Traveller | undefined;
  #session: string | undefined;
  #isClosed = false;

  constructor(connection: HttpConnection, { scope, resume = 1000 }: Options) {
    this.#connection = connection;
    this.scope = scope;
    this.#resume = resume;
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
    if (!isAnswered) trip?.abort(new UpstreamError("aborted", "The caller gave up."));
  }

  /** Opens the stream of news; resolves when it is open, with its end. Rejects if the server has none. */
  openNews(): Promise<{ closed: Promise<void>; stop(): void }> {
    return new Promise((resolve, reject) => {
      const trip = this.#get({ onOpen: () => resolve({ closed: settle(trip.done), stop }) });
      const stop = (): void => trip.abort(new UpstreamError("aborted", "Nobody listens any more."));
      this.#news = trip;
      trip.done.then((arrival) => reject(this.#refusal(arrival)), reject);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason = new UpstreamError("closed", "The session was closed.");
    this.#news?.abort(reason);
    for (const trip of this.#trips.values()) trip?.abort(reason);
    this.onlost(reason.with({ sent: true }));
    if (this.#session === undefined) return;
    const trip = roundTrip(this.#connection.pool, {
      method: "DELETE",
      path: this.#path,
      headers: this.#headers({}),
      limits: this.#connection.limits,
    });
    const timer = setTimeout(() => trip.abort(reason), FAREWELL);
    // Courtesy: a server that cannot be told will find out.
    await settle(trip.done);
    clearTimeout(timer);
  }

  async #request(text: MessageText, id: number): Promise<void> {
    const place: Place = { id, last: undefined };
    const trip = this.#post(text, this.#hearing(place));
    this.#trips.set(id, trip);
    try {
      const arrival = await trip.done;
      this.#noteSession(arrival);
      if (arrival.status >= 300) throw this.#refusal(arrival, id);
      if (arrival.text !== undefined) this.onmessage(arrival.text, id);
    } catch (error) {
      if (!isBroken(error) || place.last === undefined) throw error;
    }
    while (this.#trips.has(id)) await this.#takeUp(place);
  }

  #hearing(place: Place): Hearing {
    return {
      onEvent: ({ data, id }) => {
        place.last = id;
        // An event without data only names the place from which the stream can be taken up.
        if (data !== "") this.onmessage(data, place.id);
        return !this.#trips.has(place.id);
      },
    };
  }

  /** Goes on with a stream that the server let go of, from where it said (2025-11-25). */
  async #takeUp(place: Place): Promise<void> {
    const { id, last } = place;
    if (last === undefined) throw lost("The server's response ended without an answer.");
    await new Promise((resolve) => setTimeout(resolve, this.#resume));
    if (!this.#trips.has(id)) return;
    place.last = undefined;
    const trip = this.#get({ headers: { "last-event-id": last }, ...this.#hearing(place) });
    this.#trips.set(id, trip);
    try {
      const { status } = await trip.done;
      // Whatever the reason: the request itself arrived long ago.
      if (status >= 300) throw lost(`The server does not go on with its stream (${status}).`);
    } catch (error) {
      if (!isBroken(error) || place.last === undefined) throw error;
    }
  }

  #post(text: MessageText, hear: Hearing = {}): Traveller {
    const { pool, limits } = this.#connection;
    return roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers({ "content-type": "application/json" }),
      body: text,
      limits,
      onOpen: (headers) => this.#noteSession({ headers, status: 200 }),
      ...hear,
    });
  }

  #get({ headers = {}, ...hear }: Hearing & { headers?: Record<string, string> }): Traveller {
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
      ...hear,
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

  /** Only the handshake's response gives the session its id. */
  #noteSession({ headers, status }: Pick<Arrival, "headers" | "status">): void {
    const id = headers[SESSION];
    if (this.version !== undefined || status >= 300 || typeof id !== "string") return;
    if (SESSION_ID.test(id)) this.#session = id;
  }

  #refusal(arrival: Arrival, id?: number): UpstreamError {
    const { status, text } = arrival;
    // 404 says so; many servers, written after an early example, say 400 and why.
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
      // Some say no with a status and a message: the message is the better answer.
      this.onmessage(text, id);
    }
    return statusError(arrival);
  }
}

/** Where in its stream a request is. */
interface Place {
  id: number;
  last: string | undefined;
}

interface Hearing {
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

async function settle(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch {
    // How it ended makes no difference.
  }
}
