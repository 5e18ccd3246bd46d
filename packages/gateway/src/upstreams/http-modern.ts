// Streamable HTTP of 2026-07-28: one POST per request, answered by a response or by a stream that ends with
// it. There is no state between requests, so messages keep the client's id.

import type { CallerMessage } from "../json-rpc/message.ts";
import { serialize } from "../json-rpc/serialize.ts";
import type { CallLifetime } from "./call-lifetime.ts";
import { answerTo, discoverResult } from "./frames/answer.ts";
import { enveloped, ownRequest } from "./frames/request-meta.ts";
import { readServerMessage, type ServerMessage } from "./frames/server-message.ts";
import type { HttpConnection } from "./http/http-connection.ts";
import { statusError } from "./http/http-status.ts";
import { mirroredHeaders } from "./http/mirrored-headers.ts";
import { type Arrival, roundTrip } from "./http/round-trip.ts";
import { FloodGate } from "./sessions/flood-gate.ts";
import {
  changeOf,
  isAnythingHonoured,
  type Listening,
  listenParams,
  type ServerChange,
  type Transport,
  type TransportCall,
} from "./transport.ts";
import {
  type DiscoverResult,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamScope,
} from "./upstream.ts";

/** The options of a transport for 2026-07-28. */
export interface ModernHttpOptions {
  /** Called if the server responds as if it were of another era. */
  onDoubt?(scope: UpstreamScope): void;
}

const ACCEPT = "application/json, text/event-stream";
/** Milliseconds in which a stream of changes must be acknowledged. */
const PATIENCE = 10_000;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const DOUBTFUL: ReadonlySet<number> = new Set([400, 404, 405, 406]);

/** The outcome of one request: a response, or a status without one. */
export interface Exchange {
  arrival: Arrival;
  answer: UpstreamAnswer | undefined;
  /** Whether the response has the request's id. A server that couldn't read the request can't include it. */
  isNamed: boolean;
}

/** A server of 2026-07-28 over HTTP. */
export class ModernHttp implements Transport {
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

  async send(call: TransportCall): Promise<UpstreamAnswer> {
    const { arrival, answer, isNamed } = await this.exchange(call);
    if (!isNamed && DOUBTFUL.has(arrival.status)) this.#options.onDoubt?.(call.scope);
    if (arrival.status === 401 || arrival.status === 403 || !answer) throw statusError(arrival);
    return answer;
  }

  /** Sends a request and returns whatever comes back. */
  async exchange(call: TransportCall): Promise<Exchange> {
    const reading = new Reading(call);
    const { pool, limits } = this.#connection;
    const message = enveloped(call.message);
    const trip = roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers(message, call),
      body: serialize(message),
      limits,
      onEvent: ({ data }) => reading.take(data),
    });
    call.lifetime.onEnd((reason) => trip.abort(reason));
    const arrival = await trip.done;
    if (arrival.text !== undefined) takeBody(arrival, reading);
    const { answer, isNamed } = reading;
    if (arrival.isStream && !answer) throw lost("The server's stream ended without a response.");
    return { arrival, answer, isNamed };
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const { pool, limits } = this.#connection;
    const full = enveloped(message);
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
    const request = ownRequest("discover", "server/discover");
    const found = discoverResult(await this.send({ message: request, scope, lifetime }));
    if (!found) throw malformed("The server doesn't report its capabilities.");
    return found;
  }

  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    onChange: (change: ServerChange) => void,
  ): Promise<Listening> {
    const { pool, limits } = this.#connection;
    const id = `listen-${++this.#listens}`;
    const request = ownRequest(id, "subscriptions/listen", listenParams(resources));
    const { promise, resolve, reject } = Promise.withResolvers<Listening>();
    const flood = new FloodGate();
    const trip = roundTrip(pool, {
      method: "POST",
      path: this.#path,
      headers: this.#headers(request, { scope }),
      body: serialize(request),
      limits: { ...limits, stream: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY },
      onEvent: ({ data }) => {
        if (!flood.pass()) throw malformed("The server floods its stream of changes.");
        const message = readServerMessage(data);
        if (message?.kind !== "notification") return message?.kind === "response";
        const { method, params } = message.message;
        if (method === ACKNOWLEDGED) {
          clearTimeout(late);
          const closed = Promise.allSettled([trip.done]).then(() => {});
          resolve({ closed, sendsChanges: isAnythingHonoured(params), stop });
        }
        const change = changeOf(method, params);
        if (change) onChange(change);
        // One page of the specification ends a stream like this, another with a result.
        return method === "notifications/cancelled";
      },
    });
    const stop = (): void =>
      trip.abort(new UpstreamError("aborted", "There are no subscribers left."));
    const late = setTimeout(() => {
      trip.abort(new UpstreamError("timeout", "The server didn't acknowledge the subscription."));
    }, PATIENCE);
    trip.done.then((arrival) => reject(refusal(arrival)), reject).finally(() => clearTimeout(late));
    return promise;
  }

  async close(): Promise<void> {
    // The connections belong to the caller.
  }

  #headers(
    message: CallerMessage,
    call: Pick<TransportCall, "scope" | "inputSchema" | "paramHeaders">,
  ): Readonly<Record<string, string>> {
    const own = mirroredHeaders(message, call);
    own.accept = ACCEPT;
    own["content-type"] = "application/json";
    return this.#connection.headers(call.scope, own);
  }
}

/** Passes on notifications of the call. In this era, servers don't send requests. */
function notify({ onNotification }: TransportCall, { kind, message }: ServerMessage): void {
  if (kind === "notification") onNotification?.(message);
}

/** Reads a server's messages until the response to a call arrives. */
class Reading {
  readonly #call: TransportCall;
  answer: UpstreamAnswer | undefined;
  isNamed = false;

  constructor(call: TransportCall) {
    this.#call = call;
  }

  /** Takes a message. Returns true once the response is there. */
  take(raw: string): boolean {
    const { id } = this.#call.message;
    const message = readServerMessage(raw);
    if (!message) throw malformed("The server sent a message that isn't JSON-RPC.");
    if (message.kind === "response") {
      this.answer = answerTo(id, message);
      this.isNamed = message.message.id === id;
    } else notify(this.#call, message);
    return this.answer !== undefined;
  }
}

/** A JSON body that isn't a message is only an error if a message was required. */
function takeBody({ status, text = "" }: Arrival, reading: Reading): void {
  try {
    reading.take(text);
  } catch (error) {
    if (status < 300) throw error;
  }
}

function refusal(arrival: Arrival): UpstreamError {
  return arrival.status < 300
    ? malformed("The server ended the stream of changes before it started.")
    : statusError(arrival);
}

function malformed(message: string): UpstreamError {
  return new UpstreamError("malformed", message, { sent: true });
}

function lost(message: string): UpstreamError {
  return new UpstreamError("unreachable", message, { sent: true });
}
