import { randomInt } from "node:crypto";
import type { JsonRpcNotification, JsonRpcRequest } from "@vitrine/protocol";
import type { RequestMessage } from "../../json-rpc/message.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import { metaOf } from "../frames/request-meta.ts";
import { readServerMessage, type ServerMessage } from "../frames/server-message.ts";
import {
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamScope,
} from "../upstream.ts";
import { FLOOD_LIMITS, FloodGate, type FloodLimits } from "./flood-gate.ts";
import type { Wire } from "./wire.ts";

const PROGRESS = "notifications/progress";
const LARGEST_ID = 2 ** 48 - 1;

/** The receiver of a request's messages. It can change while the request is in progress. */
export type Audience = Pick<UpstreamCall, "message" | "onNotification" | "scope">;

/** A request in progress. */
export interface Flight {
  readonly id: number;
  /** Has the gateway's id, not the caller's. */
  readonly answer: Promise<UpstreamAnswer>;
  /** Undefined for a request from the gateway itself. */
  audience: Audience | undefined;
  /** Called if the server sends a question before it continues. */
  onQuestion?: (question: JsonRpcRequest) => void;
}

/** Handles messages that aren't responses. */
export interface MultiplexerOptions {
  onNotification(message: JsonRpcNotification, about: Flight | undefined): void;
  onRequest(message: JsonRpcRequest, about: Flight | undefined): void;
  flood?: FloodLimits | undefined;
}

type Pending = Flight & {
  resolve(answer: UpstreamAnswer): void;
  reject(error: UpstreamError): void;
};

/** Shares one wire between many callers. Drops responses that nobody waits for. */
export class Multiplexer {
  readonly #wire: Wire;
  readonly #options: MultiplexerOptions;
  readonly #flood: FloodGate;
  readonly #progress: FloodGate;
  readonly #flights = new Map<number, Pending>();
  readonly #ends = new Set<() => void>();
  /** The first user of the connection. */
  #user: { tenant: string; user: string } | undefined;
  #isShared = false;
  #end: UpstreamError | undefined;

  constructor(wire: Wire, options: MultiplexerOptions) {
    this.#wire = wire;
    this.#options = options;
    const { rate, burst } = options.flood ?? FLOOD_LIMITS;
    this.#flood = new FloodGate({ rate, burst });
    // Progress was requested, by every call.
    this.#progress = new FloodGate({ rate: 10 * rate, burst: 10 * burst });
    wire.onmessage = (text, about) => this.#receive(text, about);
    wire.onlost = (error, id) => (id === undefined ? this.#fail(error) : this.#lose(id, error));
  }

  /** Requests in progress. */
  get size(): number {
    return this.#flights.size;
  }

  /** Sends the request that `request` creates for a new id. */
  open(request: (id: number) => RequestMessage, audience?: Audience): Flight {
    const id = this.#newId();
    if (audience) this.#noteUser(audience.scope);
    const { promise: answer, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    // Nobody awaits the response of a held request for a while.
    answer.catch(() => {});
    const flight: Pending = { id, answer, audience, resolve, reject };
    if (this.#end) {
      reject(this.#end.with({ sent: false }));
      return flight;
    }
    this.#flights.set(id, flight);
    this.#wire
      .send(serialize(request(id)), id)
      .catch((error: UpstreamError) => this.#lose(id, error));
    return flight;
  }

  /** Cancels a request. */
  cancel({ id }: Flight, reason: string): void {
    if (!this.#take(id)) return;
    const params = { requestId: id, reason };
    const method = "notifications/cancelled";
    this.post({ jsonrpc: "2.0", method, params });
    this.#wire.forget(id, false);
  }

  /** Sends a message without a response. Delivery failures are ignored. */
  post(message: object): void {
    this.#wire.send(serialize(message)).catch(() => {});
  }

  /** Calls `fn` when the wire is lost. The unsubscribe function returns whether that was still pending. */
  onEnd(fn: () => void): () => boolean {
    if (this.#end) fn();
    else this.#ends.add(fn);
    return () => this.#ends.delete(fn);
  }

  /**
   * The only request in progress, if there is exactly one. Undefined if several users share the wire, because
   * a late message for one could be taken for another's.
   */
  get only(): Flight | undefined {
    if (this.#isShared) return undefined;
    const [first, second] = [...this.#flights.values()].filter(({ audience }) => audience);
    return second ? undefined : first;
  }

  #receive(text: string, about: number | undefined): void {
    if (this.#end) return;
    const message = readServerMessage(text);
    if (message?.kind === "response" && this.#resolve(message)) return;
    const teller = message?.kind === "notification" ? this.#progressOf(message.message) : undefined;
    if (!(teller ? this.#progress : this.#flood).pass()) {
      this.#fail(
        new UpstreamError("malformed", "The server floods its connection.", { sent: true }),
      );
      void this.#wire.close();
      return;
    }
    if (message?.kind === "notification") this.#notice(message, teller, this.#about(about));
    else if (message?.kind === "request") {
      this.#options.onRequest(message.message, this.#about(about));
    }
  }

  #resolve({ message }: Extract<ServerMessage, { kind: "response" }>): boolean {
    const flight = typeof message.id === "number" ? this.#take(message.id) : undefined;
    if (!flight) return false;
    this.#wire.forget(flight.id, true);
    flight.resolve({ message });
    return true;
  }

  #notice(
    { message }: Extract<ServerMessage, { kind: "notification" }>,
    teller: Flight | undefined,
    about: Flight | undefined,
  ): void {
    if (message.method !== PROGRESS) {
      this.#options.onNotification(message, about);
      return;
    }
    const { message: request, onNotification } = teller?.audience ?? {};
    const progressToken = metaOf(request?.params)?.progressToken;
    if (progressToken === undefined) return;
    onNotification?.({ ...message, params: { ...Object(message.params), progressToken } });
  }

  /** The request that a progress notification belongs to. */
  #progressOf({ method, params }: JsonRpcNotification): Flight | undefined {
    const { progressToken } = Object(params) as { progressToken?: unknown };
    const isOurs = method === PROGRESS && typeof progressToken === "number";
    return isOurs ? this.#about(progressToken) : undefined;
  }

  // Unguessable: a caller who gets a message past the checks still can't name another caller's request.
  #newId(): number {
    let id = randomInt(1, LARGEST_ID);
    while (this.#flights.has(id)) id = randomInt(1, LARGEST_ID);
    return id;
  }

  #noteUser({ tenant, user }: UpstreamScope): void {
    this.#user ??= { tenant, user };
    if (this.#user.user !== user || this.#user.tenant !== tenant) this.#isShared = true;
  }

  #about(id: number | undefined): Flight | undefined {
    return id === undefined ? undefined : this.#flights.get(id);
  }

  #take(id: number): Pending | undefined {
    const flight = this.#flights.get(id);
    this.#flights.delete(id);
    return flight;
  }

  #lose(id: number, error: UpstreamError): void {
    this.#take(id)?.reject(error);
  }

  #fail(error: UpstreamError): void {
    if (this.#end) return;
    this.#end = error;
    for (const end of this.#ends) end();
    this.#ends.clear();
    const flights = [...this.#flights.values()];
    this.#flights.clear();
    // To other callers, a failure that one caller caused is a lost connection.
    const isOne = flights.filter(({ audience }) => audience).length <= 1;
    const reason = isOne ? error : error.with({ sent: true }, "crashed");
    for (const flight of flights) flight.reject(reason);
  }
}
