import { randomInt } from "node:crypto";
import type { JsonRpcNotification, JsonRpcRequest } from "@vitrine/protocol";
import type { RequestMessage } from "../../json-rpc/message.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import { metaOf } from "../frames/envelope.ts";
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

/** Who hears of a request: it can change while the request is under way. */
export type Audience = Pick<UpstreamCall, "message" | "onNotification" | "scope">;

/** A request under way. */
export interface Flight {
  readonly id: number;
  /** Under our id, not the caller's. */
  readonly answer: Promise<UpstreamAnswer>;
  /** Nobody, for a request of the gateway's own. */
  audience: Audience | undefined;
  /** The server asks something before it goes on. */
  onQuestion?: (question: JsonRpcRequest) => void;
}

/** What a connection does with messages that answer nothing. */
export interface MultiplexerOptions {
  onNotification(message: JsonRpcNotification, about: Flight | undefined): void;
  onRequest(message: JsonRpcRequest, about: Flight | undefined): void;
  flood?: FloodLimits | undefined;
}

type Pending = Flight & {
  resolve(answer: UpstreamAnswer): void;
  reject(error: UpstreamError): void;
};

/** Emptied when it is over: a `Map` keeps what was in it until it has grown old, and must not keep a call. */
interface Place {
  flight: Pending | undefined;
}

/** Many callers over one wire. Answers to nobody, or to somebody who left, are dropped. */
export class Multiplexer {
  readonly #wire: Wire;
  readonly #options: MultiplexerOptions;
  readonly #flood: FloodGate;
  readonly #progress: FloodGate;
  readonly #flights = new Map<number, Place>();
  readonly #ends = new Set<() => void>();
  /** The first of those who use it. */
  #user: { tenant: string; user: string } | undefined;
  #isShared = false;
  #end: UpstreamError | undefined;

  constructor(wire: Wire, options: MultiplexerOptions) {
    this.#wire = wire;
    this.#options = options;
    const { rate, burst } = options.flood ?? FLOOD_LIMITS;
    this.#flood = new FloodGate({ rate, burst });
    // Progress was asked for, by as many as there are calls.
    this.#progress = new FloodGate({ rate: 10 * rate, burst: 10 * burst });
    wire.onmessage = (text, about) => this.#receive(text, about);
    wire.onlost = (error, id) => (id === undefined ? this.#fail(error) : this.#lose(id, error));
  }

  /** Requests under way. */
  get size(): number {
    return this.#flights.size;
  }

  /** Sends the request that `request` gives for our number. */
  open(request: (id: number) => RequestMessage, audience?: Audience): Flight {
    const id = this.#newId();
    if (audience) this.#noteUser(audience.scope);
    const { promise: answer, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    // A request that is held has nobody who waits, for a while.
    answer.catch(() => {});
    const flight: Pending = { id, answer, audience, resolve, reject };
    if (this.#end) {
      reject(this.#end.with({ sent: false }));
      return flight;
    }
    this.#flights.set(id, { flight });
    this.#wire
      .send(serialize(request(id)), id)
      .catch((error: UpstreamError) => this.#lose(id, error));
    return flight;
  }

  /** Takes a request back. */
  cancel({ id }: Flight, reason: string): void {
    if (!this.#take(id)) return;
    const params = { requestId: id, reason };
    const method = "notifications/cancelled";
    this.post({ jsonrpc: "2.0", method, params });
    this.#wire.forget(id, false);
  }

  /** Sends what expects no answer; nobody hears if it does not arrive. */
  post(message: object): void {
    this.#wire.send(serialize(message)).catch(() => {});
  }

  /** Calls `fn` when the wire is lost; the undo says whether it was still to come. */
  onEnd(fn: () => void): () => boolean {
    if (this.#end) fn();
    else this.#ends.add(fn);
    return () => this.#ends.delete(fn);
  }

  /**
   * The only request under way, if there is just one. Not where several users share the wire: what comes
   * late and belongs to one would be taken for another's.
   */
  get only(): Flight | undefined {
    if (this.#isShared) return undefined;
    const [first, second] = this.#all().filter(({ audience }) => audience);
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

  /** The request that a notification is the progress of. */
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
    return id === undefined ? undefined : this.#flights.get(id)?.flight;
  }

  #all(): Pending[] {
    return [...this.#flights.values()].flatMap(({ flight }) => flight ?? []);
  }

  #take(id: number): Pending | undefined {
    const place = this.#flights.get(id);
    const flight = place?.flight;
    this.#flights.delete(id);
    if (place) place.flight = undefined;
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
    const flights = this.#all();
    this.#flights.clear();
    // What one of them brought about the others only know as a loss.
    const isOne = flights.filter(({ audience }) => audience).length <= 1;
    const reason = isOne ? error : error.with({ sent: true }, "crashed");
    for (const flight of flights) flight.reject(reason);
  }
}
