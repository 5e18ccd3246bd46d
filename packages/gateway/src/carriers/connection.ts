import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { isExpired } from "../identity/expiry.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Admitted } from "../pipeline/admission.ts";
import type { Caller, Exchange } from "../pipeline/exchange.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { refuse, toErrorFrame } from "../pipeline/refusal.ts";
import type { Meter } from "../pipeline/traffic.ts";
import type { ServerBinding } from "../servers.ts";
import type { Listener } from "../subscriptions.ts";
import { Cancellation } from "../upstreams/cancellation.ts";
import type { UpstreamEvent } from "../upstreams/upstream.ts";
import { blank, readMessage } from "./blank-exchange.ts";
import { InboundQueue } from "./inbound-queue.ts";
import { Outbox } from "./outbox.ts";
import type { Lot, Parking, Recipient } from "./parking.ts";

type Id = string | number;

const NO_HEADERS = {};

/** What all connections of a gateway share. */
interface ConnectionOffice {
  pipeline: Pipeline;
  parking: Parking;
}

/** What a connection is made of. */
interface ConnectionParts extends ConnectionOffice {
  admitted: Admitted;
  /** What its messages and answers count for. */
  meter: Meter;
}

/**
 * One View's, or one Host's, WebSocket: requests in, answers and notifications out. Most Views are idle, so
 * what only a call needs is made with the first.
 */
export class Connection implements Listener, Recipient {
  readonly #admitted: Admitted;
  readonly #office: ConnectionOffice;
  readonly #outbox: Outbox;
  readonly #inbound: InboundQueue;
  #lot: Lot | undefined;
  /** Few: an array is quicker than a `Map` that is emptied again and again. */
  #running: { id: Id; call: Cancellation }[] | undefined;
  #notify: Exchange["notify"] | undefined;
  /** Whether the other side has answered since it was last asked for a sign of life. */
  isAlive = true;

  constructor(socket: WebSocket, wire: Socket, { admitted, meter, ...office }: ConnectionParts) {
    this.#admitted = admitted;
    this.#office = office;
    this.#outbox = new Outbox(socket, wire, meter);
    this.#inbound = new InboundQueue(socket, {
      wire,
      meter,
      serve: (text) => this.serve(text),
      isClogged: () => this.#outbox.isClogged,
    });
    this.#lot = office.parking.find(admitted.caller.ticket?.jti, this);
    this.tell(serialize({ vitrine: "welcome", pending: this.#lot?.pending ?? [] }));
  }

  get user(): string {
    const { tenant, user } = this.#admitted.caller;
    return JSON.stringify([tenant, user]);
  }

  get server(): ServerBinding {
    return this.#admitted.server;
  }

  get caller(): Caller {
    return this.#admitted.caller;
  }

  tell(text: MessageText): void {
    this.#outbox.send(text);
  }

  /** A list or a resource of the server has changed. */
  hear({ kind, uri }: UpstreamEvent): void {
    const method =
      kind === "resource"
        ? "notifications/resources/updated"
        : `notifications/${kind}/list_changed`;
    this.tell(serialize({ jsonrpc: "2.0", method, params: uri ? { uri } : {} }));
  }

  /** A message has arrived; it is served when its caller may have it served. */
  receive(data: Buffer): void {
    this.#inbound.push(data);
  }

  /** The other side answered a ping with so many bytes. */
  pong(bytes: number): void {
    this.#inbound.readControlFrame(bytes);
    this.isAlive = true;
  }

  /** Whether it is gone, or sends a message without end. Called at each beat of the heart. */
  isLost(): boolean {
    const isGone = !this.isAlive && !this.#inbound.isPaused;
    this.isAlive = false;
    return this.#inbound.isStalled() || isGone;
  }

  /** Whether the token or ticket that opened the socket has expired since. */
  get isExpired(): boolean {
    return isExpired(this.#admitted.caller.expires);
  }

  async serve(text: string): Promise<void> {
    const { ticket } = this.#admitted.caller;
    const call = new Cancellation();
    this.#notify ??= (notification) => this.#outbox.notify(notification);
    const exchange = blank(this.#admitted, {
      carrier: "websocket",
      ...readMessage(text),
      headers: NO_HEADERS,
      signal: call,
      notify: this.#notify,
    });
    // Before the pipeline: also a refusal must find its way back.
    const id = idOf(exchange.message);
    if (id !== undefined) {
      // A second request under an id that is in use could be answered by the first.
      this.#running ??= [];
      if (this.#running.some((running) => running.id === id)) {
        return this.tell(toErrorFrame(id, refuse("malformed", "The id is in use; number anew.")));
      }
      this.#running.push({ id, call });
      this.#lot ??= this.#office.parking.open(ticket?.jti, this);
      this.#lot.begin(id);
    }
    const reply = await this.#office.pipeline.run(exchange);
    if (id === undefined) {
      if (reply.text !== undefined) this.tell(reply.text);
      return this.#cancelAsAsked(exchange);
    }
    const place = this.#running?.findIndex((running) => running.call === call) ?? -1;
    if (place >= 0) this.#running?.splice(place, 1);
    this.#lot?.end(id, reply.text);
  }

  /** The socket is closed. A View that comes back soon finds its answers. */
  end(): void {
    this.#inbound.close();
    this.#outbox.close();
    this.#lot?.leave(() => {
      for (const { call } of this.#running ?? []) call.abort();
    });
  }

  #cancelAsAsked({ frame }: Exchange): void {
    if (frame?.method === "notifications/cancelled") {
      const id = frame.params?.requestId;
      this.#running?.find((running) => running.id === id)?.call.abort();
    }
  }
}

function idOf(message: unknown): Id | undefined {
  const { id, method } = Object(message) as Record<string, unknown>;
  const isId = typeof id === "string" || typeof id === "number";
  return isId && typeof method === "string" ? id : undefined;
}
