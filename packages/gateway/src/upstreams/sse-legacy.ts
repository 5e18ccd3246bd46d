// HTTP+SSE of 2024-11-05: one GET stream for all messages from the server. Its first event contains the
// address to POST to.

import type { MessageText } from "../json-rpc/serialize.ts";
import type { StreamEvent } from "./http/event-stream.ts";
import type { HttpConnection } from "./http/http-connection.ts";
import { statusError } from "./http/http-status.ts";
import { roundTrip, type Traveller } from "./http/round-trip.ts";
import { SessionLostError } from "./http/session-lost.ts";
import type { Wire } from "./sessions/wire.ts";
import { UpstreamError, type UpstreamScope } from "./upstream.ts";

/** One session over HTTP+SSE. */
export class LegacySseWire implements Wire {
  onmessage: Wire["onmessage"] = () => {};
  onlost: Wire["onlost"] = () => {};
  scope: UpstreamScope;
  version: string | undefined;
  readonly #connection: HttpConnection;
  #stream: Traveller | undefined;
  #endpoint: URL | undefined;
  readonly #trips = new Set<Traveller>();
  #isClosed = false;

  constructor(connection: HttpConnection, scope: UpstreamScope) {
    this.#connection = connection;
    this.scope = scope;
  }

  /** Opens the stream. Resolves when the server has sent the address to POST to. */
  open(): Promise<void> {
    const { url, pool, limits } = this.#connection;
    return new Promise((resolve, reject) => {
      const stream = roundTrip(pool, {
        method: "GET",
        path: url.pathname + url.search,
        headers: this.#headers({ accept: "text/event-stream" }),
        limits: { ...limits, stream: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY },
        onEvent: (event) => {
          if (event.type !== "endpoint") this.#handleEvent(event);
          else if (!this.#endpoint) {
            this.#endpoint = this.#endpointAt(event.data);
            resolve();
          }
          return false;
        },
      });
      this.#stream = stream;
      const end = (error: UpstreamError): void => {
        reject(error);
        this.onlost(error.with({ sent: true }));
      };
      stream.done.then((arrival) => {
        const isOver = arrival.status < 300;
        end(isOver ? new UpstreamError("unreachable", "The stream ended.") : statusError(arrival));
      }, end);
    });
  }

  async send(text: MessageText): Promise<void> {
    const endpoint = this.#endpoint;
    if (!endpoint || this.#isClosed) throw new UpstreamError("closed", "The session was closed.");
    const { pool, limits } = this.#connection;
    const trip = roundTrip(pool, {
      method: "POST",
      path: endpoint.pathname + endpoint.search,
      headers: this.#headers({ "content-type": "application/json" }),
      body: text,
      limits,
    });
    this.#trips.add(trip);
    try {
      const arrival = await trip.done;
      if (arrival.status === 404) throw new SessionLostError();
      if (arrival.status >= 300) throw statusError(arrival);
    } finally {
      this.#trips.delete(trip);
    }
  }

  forget(): void {
    // All responses share one stream.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason = new UpstreamError("closed", "The session was closed.");
    this.#stream?.abort(reason);
    for (const trip of this.#trips) trip.abort(reason);
  }

  #handleEvent({ type, data }: StreamEvent): void {
    if (type === "message") this.onmessage(data);
  }

  /** Credentials only go to the server they were configured for, never to another origin that it names. */
  #endpointAt(data: string): URL {
    const { url } = this.#connection;
    const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
    if (endpoint?.origin === url.origin) return endpoint;
    const message = `The server wants messages sent to another origin, ${url.origin}, which isn't allowed.`;
    throw new UpstreamError("refused-address", message, { sent: true });
  }

  #headers(own: Record<string, string>): Record<string, string> {
    const version = this.version;
    return this.#connection.headers(this.scope, {
      ...own,
      ...(version !== undefined && { "mcp-protocol-version": version }),
    });
  }
}
