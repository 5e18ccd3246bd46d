// The bus on core NATS: the client's own requests, queue groups and subscriptions.

import { errors, headers, type Msg, type Subscription } from "@nats-io/nats-core";
import type { Bus } from "@vitrine/gateway/engine";
import {
  checkKey,
  checkPattern,
  checkSize,
  closedError,
  EngineError,
} from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";

type Handler = (body: Uint8Array) => Promise<Uint8Array>;
type Listener = (body: Uint8Array, subject: string) => void;

/** Everybody who serves an address is in this queue group, of which one gets each request. */
const GROUP = "serve";
const FAILED = 500;
const EMPTY = new Uint8Array();

export interface NatsBusOptions {
  prefix: string;
  maxBytes: number;
  onError(error: unknown): void;
}

export class NatsBus implements Bus {
  readonly #connection: Connection;
  readonly #options: NatsBusOptions;
  readonly #events: string;
  #closed = false;

  constructor(connection: Connection, options: NatsBusOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#events = `${options.prefix}.event.`;
  }

  async request(
    address: string,
    body: Uint8Array,
    { deadline }: { deadline: number },
  ): Promise<Uint8Array> {
    this.#check(address, body);
    if (!this.#connection.isConnected) throw offlineError(address);
    const { nc } = this.#connection;
    const options = { timeout: Math.max(1, deadline) };
    const msg = await nc
      .request(this.#subjectOf(address), new Uint8Array(body), options)
      .catch((cause: unknown) => {
        if (this.#closed) throw closedError();
        throw requestError(cause, { address, deadline });
      });
    if (msg.headers?.code === FAILED) throw failedError(address);
    return new Uint8Array(msg.data);
  }

  serve(address: string, fn: Handler): () => void {
    this.#check(address);
    const callback = (msg: Msg): void => void this.#respond(fn, msg);
    const subscription = this.#connection.subscribe(this.#subjectOf(address), callback, GROUP);
    // Requests already on their way to us are still served.
    return () => this.#end(subscription, () => subscription.drain().catch(() => {}));
  }

  publish(subject: string, body: Uint8Array): void {
    this.#check(subject, body);
    this.#connection.publish(this.#events + subject, new Uint8Array(body));
  }

  subscribe(subject: string, fn: Listener): () => void {
    if (this.#closed) throw closedError();
    checkPattern(subject);
    const subscription = this.#connection.subscribe(this.#events + subject, (msg) => {
      try {
        fn(new Uint8Array(msg.data), msg.subject.slice(this.#events.length));
      } catch (error) {
        this.#options.onError(error);
      }
    });
    return () => this.#end(subscription, () => subscription.unsubscribe());
  }

  close(): void {
    this.#closed = true;
  }

  #end(subscription: Subscription, end: () => void): void {
    if (!this.#closed && !subscription.isClosed() && !subscription.isDraining()) end();
  }

  async #respond(fn: Handler, msg: Msg): Promise<void> {
    const { reply } = msg;
    // The sender names the subject of the response: it must be an inbox, not a subject that others trust.
    if (!reply?.startsWith("_INBOX.")) return;
    try {
      const body = await fn(new Uint8Array(msg.data));
      checkSize("The response", body.length, this.#options.maxBytes);
      this.#connection.publish(reply, body);
    } catch (error) {
      this.#options.onError(error);
      this.#connection.publish(reply, EMPTY, { headers: headers(FAILED, "Failed") });
    }
  }

  #subjectOf(address: string): string {
    return `${this.#options.prefix}.bus.${address}`;
  }

  #check(name: string, body?: Uint8Array): void {
    if (this.#closed) throw closedError();
    checkKey(name);
    if (body) checkSize(`The message to "${name}"`, body.length, this.#options.maxBytes);
  }
}

function requestError(
  cause: unknown,
  { address, deadline }: { address: string; deadline: number },
): EngineError {
  if (cause instanceof errors.RequestError && cause.isNoResponders()) {
    const text = `No process serves "${address}". Look up its owner again.`;
    return new EngineError("no-responders", text);
  }
  if (cause instanceof errors.TimeoutError) {
    const text = `"${address}" didn't respond within ${deadline} ms. It may or may not have handled the request.`;
    return new EngineError("timeout", text);
  }
  const text = `The request to "${address}" failed in the NATS client; it may have been sent.`;
  return new EngineError("unavailable", text, { cause });
}

function offlineError(address: string): EngineError {
  const text = `The request to "${address}" wasn't sent because no NATS server is reachable. Retry in a moment.`;
  return new EngineError("unavailable", text);
}

function failedError(address: string): EngineError {
  const text = `The process that serves "${address}" failed; its log has the cause.`;
  return new EngineError("unavailable", text);
}
