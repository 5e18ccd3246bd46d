import type { Msg } from "@nats-io/nats-core";
import { closedError, EngineError } from "../errors.ts";
import { ANSWERED, FrameBatch, GONE, readAnswers } from "./bus-frames.ts";
import { type Connection, isNobody } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";

/** Bytes at which a batch is as cheap as it gets; what is larger travels alone. */
const BATCH_BYTES = 64 * 1024;
const FIRST_BYTES = 2_048;
/** How often somebody who waits asks whether anybody is there at all. */
const PROBE_INTERVAL = 1_000;
const LARGEST_ID = 2 ** 32;

interface Asking {
  readonly address: string;
  readonly deadline: number;
  readonly since: number;
  /** Which message it travels in; known when that is sent. */
  batch: number;
  waiter: Waiter | undefined;
}

interface Waiter {
  resolve(answer: Uint8Array): void;
  reject(error: EngineError): void;
}

/** The side of the bus that asks. What is asked within one turn of the event loop travels together. */
export class BusClient {
  readonly #connection: Connection;
  readonly #subjectOf: (address: string) => string;
  readonly #onError: (error: unknown) => void;
  readonly #asking = new Map<number, Asking>();
  readonly #filling = new Map<string, FrameBatch>();
  /** Messages of which nothing has come back: if nobody hears one, all of its requests fail. */
  readonly #unheard = new Map<number, readonly number[]>();
  readonly #probes = new Map<number, { address: string; sent: number }>();
  readonly #deadlines = new Deadlines((id) => this.#expire(id));
  #prober: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #nextId = 0;
  #nextBatch = 0;

  constructor(
    connection: Connection,
    options: { subjectOf(address: string): string; onError(error: unknown): void },
  ) {
    this.#connection = connection;
    this.#subjectOf = options.subjectOf;
    this.#onError = options.onError;
    connection.onAnswer("r", (msg) => this.#hear(msg));
    connection.onAnswer("b", (msg, batch) => isNobody(msg) && this.#hearNobody(Number(batch)));
    connection.onAnswer("p", (msg, probe) => isNobody(msg) && this.#hearProbe(Number(probe)));
  }

  request(address: string, body: Uint8Array, deadline: number): Promise<Uint8Array> {
    if (!this.#connection.isConnected) {
      return Promise.reject(unsentError({ address }));
    }
    return new Promise((resolve, reject) => {
      const id = this.#freeId();
      const since = performance.now();
      const waiter = { resolve, reject };
      this.#asking.set(id, { address, deadline, since, batch: 0, waiter });
      this.#deadlines.add(id, deadline);
      this.#fill(address, id, body);
      this.#prober ??= setInterval(() => this.#probe(), PROBE_INTERVAL).unref();
    });
  }

  close(): void {
    clearInterval(this.#prober);
    this.#deadlines.close();
    for (const { waiter } of this.#asking.values()) waiter?.reject(closedError());
    this.#asking.clear();
    this.#filling.clear();
  }

  #freeId(): number {
    do this.#nextId = (this.#nextId + 1) % LARGEST_ID;
    while (this.#asking.has(this.#nextId));
    return this.#nextId;
  }

  #fill(address: string, id: number, body: Uint8Array): void {
    let batch = this.#filling.get(address);
    if (batch && batch.length + body.length > BATCH_BYTES) {
      this.#send(address, batch);
      batch = undefined;
    }
    if (!batch) {
      batch = new FrameBatch(Math.max(FIRST_BYTES, body.length + 16));
      this.#filling.set(address, batch);
    }
    batch.addRequest(id, body);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const [to, filled] of this.#filling) this.#send(to, filled);
    });
  }

  #send(address: string, batch: FrameBatch): void {
    this.#filling.delete(address);
    if (this.#connection.isClosed) return;
    const number = ++this.#nextBatch;
    this.#unheard.set(number, batch.ids);
    for (const id of batch.ids) {
      const asking = this.#asking.get(id);
      if (asking) asking.batch = number;
    }
    const reply = `${this.#connection.inbox}.b${number}`;
    if (this.#connection.publish(this.#subjectOf(address), batch.bytes, reply)) return;
    for (const id of batch.ids) this.#fail(id, unsentError);
  }

  #hear(msg: Msg): void {
    try {
      for (const { id, status, body } of readAnswers(msg.data)) {
        if (status === ANSWERED) this.#take(id)?.waiter.resolve(body);
        else this.#fail(id, status === GONE ? nobodyError : failedError);
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  #hearNobody(batch: number): void {
    for (const id of this.#unheard.get(batch) ?? []) this.#fail(id, nobodyError);
    this.#unheard.delete(batch);
  }

  // Who served when they were asked is gone since, and may have done it before: that is not known.
  #hearProbe(number: number): void {
    const probe = this.#probes.get(number);
    if (!probe) return;
    for (const [id, asking] of this.#asking) {
      if (asking.address !== probe.address || asking.since >= probe.sent) continue;
      this.#fail(id, vanishedError);
    }
  }

  #probe(): void {
    this.#probes.clear();
    if (this.#asking.size === 0) {
      clearInterval(this.#prober);
      this.#prober = undefined;
    }
    if (!this.#connection.isConnected) return;
    const sent = performance.now() - PROBE_INTERVAL / 2;
    const { inbox } = this.#connection;
    const waiting = new Set<string>();
    for (const { address, since } of this.#asking.values()) if (since < sent) waiting.add(address);
    for (const address of waiting) {
      const number = ++this.#nextBatch;
      this.#probes.set(number, { address, sent });
      this.#connection.publish(this.#subjectOf(address), "", `${inbox}.p${number}`);
    }
  }

  #expire(id: number): void {
    this.#fail(id, lateError);
  }

  #fail(id: number, errorOf: (asking: Asking) => EngineError): void {
    const taken = this.#take(id);
    taken?.waiter.reject(errorOf(taken.asking));
  }

  /** A `Map` keeps what was in it until it has grown old: not who waited, and all that hangs on him. */
  #take(id: number): { asking: Asking; waiter: Waiter } | undefined {
    const asking = this.#asking.get(id);
    const waiter = asking?.waiter;
    if (!asking || !waiter) return undefined;
    this.#asking.delete(id);
    this.#unheard.delete(asking.batch);
    asking.waiter = undefined;
    return { asking, waiter };
  }
}

function unsentError({ address }: Pick<Asking, "address">): EngineError {
  const text = `"${address}" was not asked: no NATS server can be reached. Ask again in a moment.`;
  return new EngineError("unavailable", text);
}

function nobodyError({ address }: Asking): EngineError {
  const text = `Nobody serves "${address}"; look up its owner again.`;
  return new EngineError("no-responders", text);
}

function failedError({ address }: Asking): EngineError {
  const text = `Whoever serves "${address}" failed; its log has the cause.`;
  return new EngineError("unavailable", text);
}

function vanishedError({ address }: Asking): EngineError {
  const text = `Whoever serves "${address}" is gone; whether it did as asked is unknown.`;
  return new EngineError("timeout", text);
}

function lateError({ address, deadline }: Asking): EngineError {
  const text = `"${address}" did not answer within ${deadline} ms; whether it did as asked is unknown.`;
  return new EngineError("timeout", text);
}
