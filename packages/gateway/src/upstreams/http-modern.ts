// Streamable HTTP of 2026-07-28: one POST for each request, whose response is the answer, or a stream that
// ends with it. Nothing is kept between requests, so messages keep the client's id.

import type { CallerMessage } from "../json-rpc/message.ts";
import { serialize } from "../json-rpc/serialize.ts";
import type { CallLifetime } from "./call-lifetime.ts";
import { answerTo, discoverResult } from "./frames/answer.ts";
import { type ClientIdentity, enveloped, ownRequest } from "./frames/envelope.ts";
import { readServerMessage, type ServerMessage } from "./frames/server-message.ts";
import type { HttpConnection } from "./http/connection.ts";
import { statusError } from "./http/http-status.ts";
import { mirroredHeaders } from "./http/mirrored-headers.ts";
import { type Arrival, roundTrip } from "./http/round-trip.ts";
import {
  isAnythingHonoured,
  type Leg,
  type LegCall,
  type Listening,
  listenParams,
  type News,
  newsOf,
} from "./leg.ts";
import { FloodGate } from "./sessions/flood-gate.ts";
import {
  type DiscoverResult,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamScope,
} from "./upstream.ts";

/** What a leg of 2026-07-28 needs. */
export interface ModernHttpOptions {
  identity: ClientIdentity;
  /** The server answered as if it were of another era. */
  onDoubt?(scope: UpstreamScope): void;
  /** Milliseconds until a stream of news must have been acknowledged. */
  patience?: number;
}

const ACCEPT = "application/json, text/event-stream";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const DOUBTFUL: ReadonlySet<number> = new Set([400, 404, 405, 406]);

/** What came of one request: an answer, or a status without one. */
export interface Exchange {
  arrival: Arrival;
  answer: UpstreamAnswer | undefined;
  /** Whether the answer names the request; one that could not read it cannot. */
  isNamed: boolean;
}

/** A server of 2026-07-28 over HTTP. */
export class ModernHttp implements Leg {
  readonly #connection: HttpConnection;
  readonly #options: ModernHttpOptions;
  readonly #path: string;
  #listens = 0;

  constructor(connection: HttpConnection, options: ModernHttpOptions) {
    const { pathname, search } = connection.url;
    this.#connection = connection;
    this.#options = options;
    this.#path = pathname + search;
  }

  send(call: LegCall): Promise<UpstreamAnswer> {
    return this.#travel(call, this.#answerOf);
  }

  /** Sends a request and takes whatever comes back. */
  exchange(call: LegCall): Promise<Exchange> {
    return this.#travel(call, (exchange) => exchange);
  }

  readonly #answerOf = ({ arrival, answer, isNamed }: Exchange, call: LegCall): UpstreamAnswer => {
    if (!isNamed && DOUBTFUL.has(arrival.status)) this.#options.onDoubt?.(call.scope);
    if (arrival.status === 401 || arrival.status === 403 || !answer) throw statusError(arrival);
    return answer;
  };

  /** What `conclude` makes of an exchange: here and not behind it, which would be a promise more. */
  async #travel<T>(call: LegCall, conclude: (exchange: Exchange, call: LegCall) => T): Promise<T> {
    const reading = new Reading(call);
    const { pool, limits } = this.#connection;
    const message = enveloped(call.message, this.#options.identity);
    const trip = roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers(message, call),
      body: serialize(message),
      limits,
      onEvent: ({ data }) => reading.take(data),
    });
    // Not undone: the lifetime ends with the call, and a trip that is over cannot be given up.
    call.lifetime.onEnd((reason) => trip.abort(reason));
    const arrival = await trip.done;
    if (arrival.text !== undefined) takeBody(arrival, reading);
    const { answer, isNamed } = reading;
    if (arrival.isStream && !answer) throw lost("The server's stream ended without an answer.");
    return conclude({ arrival, answer, isNamed }, call);
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const { pool, limits } = this.#connection;
    const full = enveloped(message, this.#options.identity);
    const { done } = roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers(full, { scope }),
      body: serialize(full),
      limits,
    });
    const arrival = await done;
    if (arrival.status >= 300) throw statusError(arrival);
  }

  async discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult> {
    const request = ownRequest("discover", "server/discover", this.#options.identity);
    const found = discoverResult(await this.send({ message: request, scope, lifetime }));
    if (!found) throw malformed("The server does not say what it can do.");
    return found;
  }

  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    hear: (news: News) => void,
  ): Promise<Listening> {
    const { pool, limits } = this.#connection;
    const { identity, patience = 10_000 } = this.#options;
    const id = `listen-${++this.#listens}`;
    const request = ownRequest(id, "subscriptions/listen", identity, listenParams(resources));
    const { promise, resolve, reject } = Promise.withResolvers<Listening>();
    const flood = new FloodGate();
    const trip = roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers(request, { scope }),
      body: serialize(request),
      limits: { ...limits, stream: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY },
      onEvent: ({ data }) => {
        if (!flood.pass()) throw malformed("The server floods its stream of news.");
        const message = readServerMessage(data);
        if (message?.kind !== "notification") return message?.kind === "response";
        const { method, params } = message.message;
        if (method === ACKNOWLEDGED) {
          clearTimeout(late);
          resolve({ closed: settled(trip.done), isHeard: isAnythingHonoured(params), stop });
        }
        const news = newsOf(method, params);
        if (news) hear(news);
        // One page of the specification ends a stream like this, another by a result.
        return method === "notifications/cancelled";
      },
    });
    const stop = (): void => trip.abort(new UpstreamError("aborted", "Nobody listens any more."));
    const late = setTimeout(() => {
      trip.abort(new UpstreamError("timeout", "The server did not acknowledge to be listened to."));
    }, patience);
    trip.done.then((arrival) => reject(refusal(arrival)), reject).finally(() => clearTimeout(late));
    return promise;
  }

  async close(): Promise<void> {
    // The connections belong to whoever made them.
  }

  #headers(
    message: CallerMessage,
    call: Pick<LegCall, "scope" | "inputSchema" | "paramHeaders">,
  ): Readonly<Record<string, string>> {
    const own = mirroredHeaders(message, call);
    own.accept = ACCEPT;
    own["content-type"] = "application/json";
    return this.#connection.headers(call.scope, own);
  }
}

/** Hands on what belongs to the call; a request of the server has no place in this era. */
function tell({ onNotification }: LegCall, { kind, message }: ServerMessage): void {
  if (kind === "notification") onNotification?.(message);
}

/** Reads what a server sends until the answer to a call is among it. */
class Reading {
  readonly #call: LegCall;
  answer: UpstreamAnswer | undefined;
  isNamed = false;

  constructor(call: LegCall) {
    this.#call = call;
  }

  /** Takes a message; true once the answer is there. */
  take(raw: string): boolean {
    const { id } = this.#call.message;
    const message = readServerMessage(raw);
    if (!message) throw malformed("The server sent something that is not JSON-RPC.");
    if (message.kind === "response") {
      this.answer = answerTo(id, message);
      this.isNamed = message.message.id === id;
    } else tell(this.#call, message);
    return this.answer !== undefined;
  }
}

/** A body that is JSON but no message only matters where one was due. */
function takeBody({ status, text = "" }: Arrival, reading: Reading): void {
  try {
    reading.take(text);
  } catch (error) {
    if (status < 300) throw error;
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch {
    // How a stream ended makes no difference to who listens again.
  }
}

function refusal(arrival: Arrival): UpstreamError {
  return arrival.status < 300
    ? malformed("The server ended the stream of news before it began.")
    : statusError(arrival);
}

function malformed(message: string): UpstreamError {
  return new UpstreamError("malformed", message, { sent: true });
}

function lost(message: string): UpstreamError {
  return new UpstreamError("unreachable", message, { sent: true });
}
