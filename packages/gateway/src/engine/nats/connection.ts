// One connection for all of the engine, with one subscription for every answer. The client's own `request`
// makes an error and a timer for each call, which is most of what a call costs; here a call is an entry in a
// map.

import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/nats-core";
import { closedError, type EngineError } from "../errors.ts";
import { Deadlines } from "./deadlines.ts";
import { type ApiError, awayError, isPassing, lateError, refusedError } from "./nats-error.ts";

/** How long JetStream may take; an election of a new leader takes about four seconds. */
const PATIENCE = 8_000;
/**
 * After this, and then twice this, what may be asked twice is asked again: who does not lead any more does not
 * answer, nor does who does not lead yet.
 */
const FIRST_ATTEMPT = 250;
const LONGEST_ATTEMPT = 2_000;
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 250;
const REPEATABLE = /^(?:STREAM\.(?:INFO|MSG\.GET|CREATE|UPDATE|PURGE)|CONSUMER\.(?:INFO|CREATE))\./;

interface Asking {
  readonly what: string;
  readonly timeout: number;
  /** It may be asked again. */
  readonly isLast: boolean;
  resolve(answer: Msg | undefined): void;
  reject(error: EngineError): void;
}

/** What is asked of JetStream. */
export interface Question {
  /** For errors: what is being done. */
  what: string;
  data?: Uint8Array | string;
  headers?: MsgHdrs;
  timeout?: number;
  /** To do it twice is to do it once: it is asked again after so long. */
  again?: number;
}

/** What JetStream says of a stored message. */
interface Refusable {
  readonly error?: ApiError;
}

/** A connection to NATS. */
export class Connection {
  readonly nc: NatsConnection;
  /** Answers come to subjects under this. */
  readonly inbox: string = createInbox();
  readonly #asking = new Map<number, Asking>();
  readonly #hearers = new Map<string, (msg: Msg, rest: string) => void>();
  readonly #deadlines = new Deadlines((id) => this.#expire(id));
  readonly #onReconnect = new Set<() => void>();
  readonly #onClose = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #isConnected = true;
  #refusal: EngineError | undefined;
  #closed = false;

  constructor(nc: NatsConnection) {
    this.nc = nc;
    nc.subscribe(`${this.inbox}.*`, { callback: (_, msg) => this.#hear(msg) });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#refusal;
  }

  /** Told by whoever watches the client: it lost its server, or has one; `refusal` if that one will not do. */
  setConnected(isConnected: boolean, refusal?: EngineError): void {
    this.#isConnected = isConnected;
    this.#refusal = refusal;
    if (!this.isConnected) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
    for (const tell of this.#onReconnect) tell();
  }

  /** Hears when there is a server again. Returns its undo. */
  onReconnect(fn: () => void): () => void {
    this.#onReconnect.add(fn);
    return () => this.#onReconnect.delete(fn);
  }

  /** Hears when it is closed. Returns its undo. */
  onClose(fn: () => void): () => void {
    this.#onClose.add(fn);
    return () => this.#onClose.delete(fn);
  }

  /** Hears the answers to `inbox.<letter>…`, where the letter is one of its own. */
  onAnswer(letter: string, fn: (msg: Msg, rest: string) => void): void {
    this.#hearers.set(letter, fn);
  }

  subscribe(subject: string, callback: (msg: Msg) => void, queue?: string): Subscription {
    return this.nc.subscribe(subject, {
      callback: (error, msg) => {
        if (!error) callback(msg);
      },
      ...(queue !== undefined && { queue }),
    });
  }

  /** Sends, unless there is nobody to send to. */
  publish(subject: string, data: Uint8Array | string, reply?: string): boolean {
    if (!this.isConnected || this.#closed) return false;
    return this.#send(subject, { data, ...(reply !== undefined && { reply }) });
  }

  /** Asks JetStream's interface; the answer is checked for a refusal by the caller. */
  async api<Answer extends object>(
    operation: string,
    body: object | undefined,
    what: string,
  ): Promise<Answer & Refusable> {
    const data = body === undefined ? "" : JSON.stringify(body);
    const again = REPEATABLE.test(operation) ? { again: FIRST_ATTEMPT } : {};
    const end = performance.now() + PATIENCE;
    for (;;) {
      const msg = await this.ask(`$JS.API.${operation}`, { what, data, ...again });
      const answer = msg.json<Answer & Refusable>();
      if (!isPassing(answer.error) || performance.now() > end) return answer;
      await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE));
    }
  }

  /** As `api`, and fails where it is refused. */
  async apiOrFail<Answer extends object>(
    operation: string,
    body: object | undefined,
    what: string,
  ): Promise<Answer> {
    const answer = await this.api<Answer>(operation, body, what);
    if (answer.error) throw refusedError(what, answer.error);
    return answer;
  }

  /**
   * Asks, and asks again for as long as nobody is there to hear it: while a leader is elected it was not
   * done, and will be done in a moment.
   */
  async ask(subject: string, question: Question): Promise<Msg> {
    const { what, data = "", headers, timeout = PATIENCE } = question;
    let attempt = question.again ?? Number.POSITIVE_INFINITY;
    const end = performance.now() + timeout;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      if (!this.isConnected) await this.#untilConnected(what, end);
      if (this.#closed) throw closedError();
      const left = Math.max(1, Math.ceil(end - performance.now()));
      const answer = await new Promise<Msg | undefined>((resolve, reject) => {
        const id = ++this.#next;
        const isLast = left <= attempt;
        this.#asking.set(id, { what, timeout, isLast, resolve, reject });
        this.#deadlines.add(id, Math.min(left, attempt));
        const reply = `${this.inbox}.a${id}`;
        const isSent = this.#send(subject, { reply, data, ...(headers && { headers }) });
        if (isSent) return;
        this.#asking.delete(id);
        resolve(undefined);
      });
      if (answer) return answer;
      attempt = Math.max(attempt, Math.min(attempt * 2, LONGEST_ATTEMPT));
      if (performance.now() + pause >= end) throw awayError(what);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const tell of [...this.#onClose]) tell();
    for (const { reject } of this.#asking.values()) reject(closedError());
    this.#asking.clear();
    for (const go of this.#waiting) go();
    this.#waiting.clear();
    this.#deadlines.close();
    // Acknowledgements are on their way; a server that is gone must not hold us.
    if (this.#isConnected) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, 1_000);
      });
      await Promise.race([this.nc.flush().catch(() => {}), late]);
      clearTimeout(timer);
    }
    await this.nc.close();
  }

  // The client throws when it was closed behind our back, and for what is too large.
  #send(
    subject: string,
    { data, ...options }: { data: Uint8Array | string; reply?: string; headers?: MsgHdrs },
  ): boolean {
    try {
      this.nc.publish(subject, data, options);
      return true;
    } catch {
      return false;
    }
  }

  async #untilConnected(what: string, end: number): Promise<void> {
    const left = end - performance.now();
    const isThere = await new Promise<boolean>((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        resolve(false);
      }, left);
      this.#waiting.add(go);
    });
    if (this.#closed) throw closedError();
    if (!isThere) throw this.#refusal ?? awayError(what);
  }

  #hear(msg: Msg): void {
    const token = msg.subject.slice(this.inbox.length + 1);
    const letter = token.slice(0, 1);
    if (letter !== "a") {
      this.#hearers.get(letter)?.(msg, token.slice(1));
      return;
    }
    const id = Number(token.slice(1));
    const asking = this.#asking.get(id);
    this.#asking.delete(id);
    asking?.resolve(isNobody(msg) ? undefined : msg);
  }

  #expire(id: number): void {
    const asking = this.#asking.get(id);
    if (!asking) return;
    this.#asking.delete(id);
    if (asking.isLast) asking.reject(lateError(asking.what, asking.timeout));
    else asking.resolve(undefined);
  }
}

/** Whether a server says that nobody subscribes to what was asked. */
export function isNobody(msg: Msg): boolean {
  return msg.data.length === 0 && msg.headers?.code === 503;
}
