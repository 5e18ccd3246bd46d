import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { refuse, toErrorFrame } from "../errors/refusal.ts";
import { isExpired } from "../identity/expiry.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Caller } from "../policy/caller.ts";
import type { Admitted, Exchange } from "../policy/exchange.ts";
import { createExchange } from "../policy/exchange.ts";
import type { Pipeline } from "../policy/pipeline.ts";
import type { ServerBinding } from "../policy/server-binding.ts";
import type { Listener } from "../policy/subscriptions.ts";
import type { Meter } from "../policy/traffic.ts";
import { InboundQueue } from "./inbound-queue.ts";
import { OutboundQueue } from "./outbound-queue.ts";
import { readMessage } from "./read-message.ts";
import type { PendingResponses, Recipient, ResumeBuffer } from "./resume-buffer.ts";

type Id = string | number;

/** The parts of one connection. */
interface ConnectionParts {
  pipeline: Pipeline;
  resumeBuffer: ResumeBuffer;
  admitted: Admitted;
  /** Counts the connection's messages and responses. */
  meter: Meter;
}

/** The WebSocket of a View or a Host: requests in, responses and notifications out. */
export class Connection implements Listener, Recipient {
  readonly #admitted: Admitted;
  readonly #pipeline: Pipeline;
  readonly #outboundQueue: OutboundQueue;
  readonly #inbound: InboundQueue;
  readonly #pending: PendingResponses;
  readonly #running = new Map<Id, AbortController>();
  /** Milliseconds since 1970. */
  readonly openedAt: number = Date.now();
  /** Whether the client has responded since the last ping. */
  isAlive = true;
  /** Requests that it has sent. */
  requests = 0;

  constructor(socket: WebSocket, wire: Socket, parts: ConnectionParts) {
    const { admitted, meter, pipeline, resumeBuffer } = parts;
    this.#admitted = admitted;
    this.#pipeline = pipeline;
    this.#outboundQueue = new OutboundQueue(socket, meter);
    this.#inbound = new InboundQueue(socket, {
      wire,
      meter,
      serve: (text) => this.serve(text),
      isClogged: () => this.#outboundQueue.isClogged,
    });
    this.#pending = resumeBuffer.open(admitted.caller.ticket?.jti, this);
    this.send(serialize({ vitrine: "welcome", pending: this.#pending.pending }));
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

  send(text: MessageText): void {
    this.#outboundQueue.send(text);
  }

  /** Notifies the client that a list or a resource of the server changed. */
  onChange({ kind, uri }: Parameters<Listener["onChange"]>[0]): void {
    const method =
      kind === "resource"
        ? "notifications/resources/updated"
        : `notifications/${kind}/list_changed`;
    this.send(serialize({ jsonrpc: "2.0", method, params: uri ? { uri } : {} }));
  }

  /** Queues a received message until the caller's limits allow it. */
  receive(data: Buffer): void {
    this.#inbound.push(data);
  }

  /** Handles a pong with this many bytes. */
  pong(bytes: number): void {
    this.#inbound.readControlFrame(bytes);
    this.isAlive = true;
  }

  /** Whether the client is gone or sends an endless message. Called at each heartbeat. */
  isLost(): boolean {
    const isGone = !this.isAlive && !this.#inbound.isPaused;
    this.isAlive = false;
    return this.#inbound.isStalled() || isGone;
  }

  /** Whether the token or ticket that opened the socket has expired. */
  get isExpired(): boolean {
    return isExpired(this.#admitted.caller.expires);
  }

  async serve(text: string): Promise<void> {
    const call = new AbortController();
    const exchange = createExchange(this.#admitted, {
      carrier: "websocket",
      ...readMessage(text),
      headers: {},
      signal: call.signal,
      notify: (notification) => this.#outboundQueue.notify(notification),
    });
    // Register the id before the pipeline runs, because a refusal needs it too.
    const id = idOf(exchange.message);
    if (id !== undefined) {
      // With two requests under one id, the first response could be taken for the second's.
      if (this.#running.has(id)) {
        return this.send(
          toErrorFrame(
            id,
            refuse("malformed", "Another request in progress uses this id. Use a different id."),
          ),
        );
      }
      this.requests += 1;
      this.#running.set(id, call);
      this.#pending.begin(id);
    }
    const reply = await this.#pipeline.run(exchange);
    if (id === undefined) {
      if (reply.text !== undefined) this.send(reply.text);
      return this.#handleCancellation(exchange);
    }
    this.#running.delete(id);
    this.#pending.end(id, reply.text);
  }

  /** Handles the closing of the socket. A View that reconnects soon gets its responses. */
  end(): void {
    this.#inbound.close();
    this.#outboundQueue.close();
    this.#pending.disconnect(() => {
      for (const call of this.#running.values()) call.abort();
    });
  }

  #handleCancellation({ frame }: Exchange): void {
    if (frame?.method === "notifications/cancelled") {
      this.#running.get(frame.params?.requestId as Id)?.abort();
    }
  }
}

function idOf(message: unknown): Id | undefined {
  const { id, method } = Object(message) as Record<string, unknown>;
  const isId = typeof id === "string" || typeof id === "number";
  return isId && typeof method === "string" ? id : undefined;
}
