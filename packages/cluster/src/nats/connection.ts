// The NATS client and what its users share: one state of the connection, and requests to JetStream that
// survive the election of a new leader.

import { setTimeout as sleep } from "node:timers/promises";
import {
  createInbox,
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/nats-core";
import { closedError, type EngineError } from "@vitrine/gateway/engine";
import {
  type ApiError,
  isTransient,
  rejectedError,
  timeoutError,
  unreachableError,
} from "./nats-error.ts";

/** How long JetStream may take; the election of a new leader takes about four seconds. */
const TIMEOUT = 8_000;
/** Timeouts of the first and of later attempts: neither a former nor a future leader responds. */
const FIRST_ATTEMPT = 250;
const LONGEST_ATTEMPT = 2_000;
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 250;
const CLOSE_TIMEOUT = 1_000;
const IDEMPOTENT = /^(?:STREAM\.(?:INFO|MSG\.GET|CREATE|UPDATE|PURGE)|CONSUMER\.(?:INFO|CREATE))\./;

/** A request to JetStream. */
export interface JetStreamRequest {
  /** The operation, for error messages. */
  what: string;
  data?: Uint8Array | string;
  headers?: MsgHdrs;
  timeout?: number;
  /** Set for idempotent requests: milliseconds after which the request is sent again. */
  retryAfter?: number;
}

interface ApiResponse {
  readonly error?: ApiError;
}

/** A connection to NATS. */
export class Connection {
  readonly nc: NatsConnection;
  /** Prefix of the subjects that this connection receives on. */
  readonly inbox: string = createInbox();
  readonly #onReconnect = new Set<() => void>();
  readonly #onClose = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #isConnected = true;
  #rejection: EngineError | undefined;
  #closed = false;

  constructor(nc: NatsConnection) {
    this.nc = nc;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#rejection;
  }

  /** Sets the state; `rejection` is the reason why the server that accepted us can't be used. */
  setConnected(isConnected: boolean, rejection?: EngineError): void {
    this.#isConnected = isConnected;
    this.#rejection = rejection;
    if (!this.isConnected) return;
    this.#resumeWaiting();
    for (const listener of this.#onReconnect) listener();
  }

  /** Calls `fn` after each reconnect. Returns an unsubscribe function. */
  onReconnect(fn: () => void): () => void {
    this.#onReconnect.add(fn);
    return () => this.#onReconnect.delete(fn);
  }

  /** Calls `fn` when the connection is closed. Returns an unsubscribe function. */
  onClose(fn: () => void): () => void {
    this.#onClose.add(fn);
    return () => this.#onClose.delete(fn);
  }

  subscribe(subject: string, callback: (msg: Msg) => void, queue?: string): Subscription {
    return this.nc.subscribe(subject, {
      callback: (error, msg) => {
        if (!error) callback(msg);
      },
      ...(queue !== undefined && { queue }),
    });
  }

  /** Publishes unless the connection is down: the client would keep the message and send it later. */
  publish(
    subject: string,
    data: Uint8Array | string,
    options: { reply?: string; headers?: MsgHdrs } = {},
  ): void {
    if (!this.isConnected || this.#closed) return;
    try {
      this.nc.publish(subject, data, options);
    } catch {
      // The client closed the connection itself; `status` reports it.
    }
  }

  /** Calls JetStream's API. The caller checks the response for an error. */
  async api<Response extends object>(
    operation: string,
    body: object | undefined,
    what: string,
  ): Promise<Response & ApiResponse> {
    const data = body === undefined ? "" : JSON.stringify(body);
    const retry = IDEMPOTENT.test(operation) ? { retryAfter: FIRST_ATTEMPT } : {};
    const end = performance.now() + TIMEOUT;
    for (;;) {
      const msg = await this.request(`$JS.API.${operation}`, { what, data, ...retry });
      const response = msg.json<Response & ApiResponse>();
      if (!isTransient(response.error) || performance.now() > end) return response;
      await sleep(LONGEST_PAUSE, undefined, { ref: false });
    }
  }

  /** Like `api`, but throws the response's error. */
  async apiOrFail<Response extends object>(
    operation: string,
    body: object | undefined,
    what: string,
  ): Promise<Response> {
    const response = await this.api<Response>(operation, body, what);
    if (response.error) throw rejectedError(what, response.error);
    return response;
  }

  /**
   * Sends a request, and retries while nobody responds: the request was not executed, and the next leader
   * will respond.
   */
  async request(subject: string, request: JetStreamRequest): Promise<Msg> {
    const { what, data, headers, timeout = TIMEOUT } = request;
    let attempt = request.retryAfter ?? Number.POSITIVE_INFINITY;
    const end = performance.now() + timeout;
    for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
      if (!this.isConnected) await this.#untilConnected(what, end);
      if (this.#closed) throw closedError();
      const left = Math.max(1, Math.ceil(end - performance.now()));
      const options = { timeout: Math.min(left, attempt), ...(headers && { headers }) };
      const response = await this.nc.request(subject, data, options).catch((error: unknown) => {
        if (this.#closed) throw closedError();
        const isLast = left <= attempt;
        if (isLast && error instanceof errors.TimeoutError) throw timeoutError(what, timeout);
      });
      if (response) return response;
      attempt = Math.max(attempt, Math.min(attempt * 2, LONGEST_ATTEMPT));
      if (performance.now() + wait >= end) throw unreachableError(what);
      await sleep(wait, undefined, { ref: false });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const listener of [...this.#onClose]) listener();
    this.#resumeWaiting();
    // Acknowledgements may be under way; a server that is gone must not block closing.
    if (this.#isConnected)
      await Promise.race([
        this.nc.flush().catch(() => {}),
        sleep(CLOSE_TIMEOUT, undefined, { ref: false }),
      ]);
    await this.nc.close();
  }

  #resumeWaiting(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  async #untilConnected(what: string, end: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, end - performance.now()));
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    if (this.#closed) throw closedError();
    if (!this.isConnected) throw this.#rejection ?? unreachableError(what);
  }
}
