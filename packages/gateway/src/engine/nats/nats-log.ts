import { headers } from "@nats-io/nats-core";
import type { Appended, Log, LogRecord } from "../engine.ts";
import { checkSize, closedError } from "../errors.ts";
import { checkBatch } from "../local/batch.ts";
import { checkBucket, checkPartition } from "../names.ts";
import { countOf, encodeMessage } from "./batch-message.ts";
import type { Connection } from "./connection.ts";
import { LogConsumer } from "./log-consumer.ts";
import { readStream } from "./log-reader.ts";
import { type ApiError, DUPLICATE_UNDER_WAY, NO_MESSAGE, refusedError } from "./nats-error.ts";
import { placeOf, sequenceOf } from "./places.ts";
import { ensureStream, findStream, nanoseconds, type StreamInfo } from "./streams.ts";

export interface NatsLogOptions {
  prefix: string;
  replicas: number;
  maxBytes: number;
  /** What a message may have, its headers included. */
  maxPayload: number;
  dedupeTime: number;
  /** Bytes of a partition; beyond, `full`. */
  maxLogBytes: number | undefined;
  onError(error: unknown): void;
}

const HEADERS = 512;
const ATTEMPT = 2_000;
const PAUSE = 50;

/** The log on JetStream: each partition a stream, each batch a message. */
export class NatsLog implements Log {
  readonly #connection: Connection;
  readonly #options: NatsLogOptions;
  readonly #opening = new Map<string, Promise<void>>();
  readonly #consumers = new Set<LogConsumer>();

  constructor(connection: Connection, options: NatsLogOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async append(
    partition: string,
    batch: readonly Uint8Array[],
    { id }: { id?: string } = {},
  ): Promise<Appended> {
    this.#check(partition);
    checkBatch(batch, { id, most: this.#options.maxBytes });
    // Before anything is waited for: the caller may use his bytes again.
    const data = encodeMessage(batch);
    checkSize("The packed batch", data.length, this.#options.maxPayload - HEADERS);
    await this.#open(partition);
    const { seq, duplicate } = await this.#store(partition, data, id);
    const last = placeOf(seq, batch.length - 1);
    return { first: placeOf(seq, 0), last, duplicate: duplicate === true };
  }

  async *read(partition: string, from = 0): AsyncGenerator<LogRecord> {
    const state = await this.#state(partition);
    if (!state) return;
    const first = Math.max(sequenceOf(from), state.first_seq);
    const { stream } = this.#placeOf(partition);
    yield* readStream(this.#connection, { stream, first, last: state.last_seq, from });
  }

  async bounds(partition: string): Promise<{ first: number; last: number } | undefined> {
    const state = await this.#state(partition);
    // Right after it was made, both are 0.
    if (!state || state.last_seq === 0 || state.first_seq > state.last_seq) return undefined;
    const { stream } = this.#placeOf(partition);
    const what = `The end of ${partition}`;
    const answer = await this.#connection.api<{ message: { data?: string } }>(
      `STREAM.MSG.GET.${stream}`,
      { seq: state.last_seq },
      what,
    );
    // Trimmed in this very moment.
    if (answer.error?.err_code === NO_MESSAGE) return undefined;
    if (answer.error) throw refusedError(what, answer.error);
    const count = countOf(Buffer.from(answer.message.data ?? "", "base64"));
    return { first: placeOf(state.first_seq, 0), last: placeOf(state.last_seq, count - 1) };
  }

  consume(
    group: string,
    partition: string,
    fn: (batch: readonly LogRecord[]) => Promise<void>,
  ): () => void {
    this.#check(partition);
    checkBucket(group);
    const { stream } = this.#placeOf(partition);
    const consumer = new LogConsumer(this.#connection, {
      stream,
      group,
      opened: () => this.#open(partition),
      onBatch: fn,
      onError: this.#options.onError,
    });
    this.#consumers.add(consumer);
    return () => {
      this.#consumers.delete(consumer);
      consumer.stop();
    };
  }

  async trim(partition: string, before: number): Promise<void> {
    const state = await this.#state(partition);
    if (!state) return;
    const { stream } = this.#placeOf(partition);
    // Beyond the end there is nothing, and NATS would leave out the sequences up to there.
    const seq = Math.min(sequenceOf(before), state.last_seq + 1);
    if (seq <= state.first_seq) return;
    await this.#connection.apiOrFail(`STREAM.PURGE.${stream}`, { seq }, `Trimming ${partition}`);
  }

  async bytes(partition: string): Promise<number> {
    return (await this.#state(partition))?.bytes ?? 0;
  }

  close(): void {
    for (const consumer of this.#consumers) consumer.stop();
  }

  async #store(
    partition: string,
    data: Uint8Array,
    id: string | undefined,
  ): Promise<{ seq: number; duplicate?: boolean }> {
    const what = `Appending to ${partition}`;
    const { subject } = this.#placeOf(partition);
    const hdrs = headers();
    if (id !== undefined) hdrs.set("Nats-Msg-Id", id);
    // What has an id may be sent twice.
    const again = id === undefined ? {} : { again: ATTEMPT };
    const question = { what, data, headers: hdrs, ...again };
    for (;;) {
      const msg = await this.#connection.ask(subject, question);
      const ack = msg.json<{ error?: ApiError; seq: number; duplicate?: boolean }>();
      if (!ack.error) return ack;
      if (ack.error.err_code !== DUPLICATE_UNDER_WAY) throw refusedError(what, ack.error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async #state(partition: string): Promise<StreamInfo["state"] | undefined> {
    this.#check(partition);
    const { stream } = this.#placeOf(partition);
    return (await findStream(this.#connection, stream))?.state;
  }

  async #open(partition: string): Promise<void> {
    let opening = this.#opening.get(partition);
    if (!opening) {
      const { stream, subject } = this.#placeOf(partition);
      const { replicas, dedupeTime, maxLogBytes = -1 } = this.#options;
      opening = ensureStream(this.#connection, {
        name: stream,
        subjects: [subject],
        storage: "file",
        num_replicas: replicas,
        // What is full says so: to let go of the oldest is for `trim`.
        discard: "new",
        max_bytes: maxLogBytes,
        duplicate_window: nanoseconds(dedupeTime),
        deny_delete: true,
        allow_direct: false,
      });
      this.#opening.set(partition, opening);
      opening.catch(() => this.#opening.delete(partition));
    }
    return opening;
  }

  #placeOf(partition: string): { stream: string; subject: string } {
    const { prefix } = this.#options;
    // A stream's name has no dots, and no partition has "=".
    const stream = `LOG_${prefix}_${partition.replaceAll(".", "=")}`;
    return { stream, subject: `${prefix}.log.${partition}` };
  }

  #check(partition: string): void {
    if (this.#connection.isClosed) throw closedError();
    checkPartition(partition);
  }
}
