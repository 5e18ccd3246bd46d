import type { WebSocket } from "ws";
import type { Admitted } from "../pipeline/admission.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { refuse, toErrorFrame } from "../pipeline/refusal.ts";
import type { ServerBinding } from "../servers.ts";
import { blank } from "./blank-exchange.ts";
import { Outbox } from "./outbox.ts";
import type { Lot, Parking } from "./parking.ts";

type Id = string | number;

const NO_HEADERS = {};

/** One View's, or one Host's, WebSocket: requests in, answers and notifications out. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #admitted: Admitted;
  readonly #pipeline: Pipeline;
  readonly #outbox: Outbox;
  readonly #lot: Lot;
  readonly #notify = (note: string, method: string): void => this.#outbox.notify(note, method);
  // Most Views are idle: what a call needs is made with the first.
  #running: Map<Id, AbortController> | undefined;
  /** Whether the other side has answered since it was last asked for a sign of life. */
  isAlive = true;

  constructor(
    socket: WebSocket,
    admitted: Admitted,
    { pipeline, parking }: { pipeline: Pipeline; parking: Parking },
  ) {
    this.#socket = socket;
    this.#admitted = admitted;
    this.#pipeline = pipeline;
    this.#outbox = new Outbox(socket);
    this.#lot = parking.enter(admitted.caller.ticket?.jti, (text) => this.tell(text));
    this.tell(JSON.stringify({ vitrine: "welcome", pending: this.#lot.pending }));
  }

  get server(): ServerBinding {
    return this.#admitted.server;
  }

  tell(text: string): void {
    this.#outbox.send(text);
  }

  async serve(text: string): Promise<void> {
    const { ticket } = this.#admitted.caller;
    // It was good when the socket opened; a socket may live longer than its ticket.
    if (ticket && ticket.exp * 1000 < Date.now()) return this.#socket.close(4401, "ticket expired");
    const call = new AbortController();
    const exchange = blank(this.#admitted, {
      carrier: "websocket",
      text,
      headers: NO_HEADERS,
      signal: call.signal,
      notify: this.#notify,
    });
    // Before the pipeline: also a refusal must find its way back.
    const id = idOf(exchange.message);
    if (id !== undefined) {
      // A second request under an id that is in use could be answered by the first.
      this.#running ??= new Map();
      if (this.#running.has(id)) {
        return this.tell(toErrorFrame(id, refuse("malformed", "The id is in use; number anew.")));
      }
      this.#running.set(id, call);
      this.#lot.begin(id);
    }
    const reply = await this.#pipeline.run(exchange);
    if (id === undefined) {
      if (reply.text !== undefined) this.tell(reply.text);
      return this.#cancelAsAsked(exchange);
    }
    this.#running?.delete(id);
    this.#lot.end(id, reply.text ?? "");
  }

  /** The socket is closed. A View that comes back soon finds its answers. */
  end(): void {
    this.#outbox.close();
    this.#lot.leave(() => {
      for (const call of this.#running?.values() ?? []) call.abort();
    });
  }

  #cancelAsAsked({ frame }: Exchange): void {
    if (frame?.method === "notifications/cancelled") {
      this.#running?.get(frame.params?.requestId as Id)?.abort();
    }
  }
}

function idOf(message: unknown): Id | undefined {
  const { id, method } = Object(message) as Record<string, unknown>;
  const isId = typeof id === "string" || typeof id === "number";
  return isId && typeof method === "string" ? id : undefined;
}
