import { headers } from "@nats-io/nats-core";
import type { Appended, Log, LogRecord } from "@vitrine/gateway/engine";
import { checkBatch, checkPartition, checkSize, closedError } from "@vitrine/gateway/engine";
import { countOf, encodeMessage } from "./batch-message.ts";
import type { Connection } from "./connection.ts";
import { readStream } from "./log-reader.ts";
import { type ApiError, DUPLICATE_IN_PROGRESS, NO_MESSAGE, rejectedError } from "./nats-error.ts";
import { placeOf, sequenceOf } from "./record-position.ts";
import { ensureStream, findStream, nanoseconds, type StreamInfo } from "./streams.ts";

export interface NatsLogOptions {
  prefix: string;
  replicas: number;
  maxBytes: number;
  /** The maximum size of a message, including its headers. */
  maxPayload: number;
  dedupeTime: number;
  /** The maximum size of a partition in bytes; an append beyond it fails with `full`. */
  maxLogBytes: number | undefined;
}

const HEADERS = 512;
const ATTEMPT = 2_000;
const PAUSE = 50;

/** The log on JetStream: a stream for each partition, a message for each batch. */
export class NatsLog implements Log {
  readonly #connection: Connection;
  readonly #options: NatsLogOptions;
  readonly #opening = new Map<string, Promise<void>>();

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
    // Encoded before the first await, because the caller may reuse its buffers.
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
    // Both are 0 in a new stream.
    if (!state || state.last_seq === 0 || state.first_seq > state.last_seq) return undefined;
    const { stream } = this.#placeOf(partition);
    const what = `The end of ${partition}`;
    const answer = await this.#connection.api<{ message: { data?: string } }>(
      `STREAM.MSG.GET.${stream}`,
      { seq: state.last_seq },
      what,
    );
    // The message was trimmed since.
    if (answer.error?.err_code === NO_MESSAGE) return undefined;
    if (answer.error) throw rejectedError(what, answer.error);
    const count = countOf(Buffer.from(answer.message.data ?? "", "base64"));
    return { first: placeOf(state.first_seq, 0), last: placeOf(state.last_seq, count - 1) };
  }

  async trim(partition: string, before: number): Promise<void> {
    const state = await this.#state(partition);
    if (!state) return;
    const { stream } = this.#placeOf(partition);
    // Not beyond the end, because NATS would skip the sequences up to there.
    const seq = Math.min(sequenceOf(before), state.last_seq + 1);
    if (seq <= state.first_seq) return;
    await this.#connection.apiOrFail(`STREAM.PURGE.${stream}`, { seq }, `Trimming ${partition}`);
  }

  async bytes(partition: string): Promise<number> {
    return (await this.#state(partition))?.bytes ?? 0;
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
    // A batch with an id can be sent again safely.
    const again = id === undefined ? {} : { retryAfter: ATTEMPT };
    const request = { what, data, headers: hdrs, ...again };
    for (;;) {
      const msg = await this.#connection.request(subject, request);
      const ack = msg.json<{ error?: ApiError; seq: number; duplicate?: boolean }>();
      if (!ack.error) return ack;
      if (ack.error.err_code !== DUPLICATE_IN_PROGRESS) throw rejectedError(what, ack.error);
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
        // A full stream rejects appends. Only `trim` removes the oldest batches.
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
    // A stream's name can't have dots, and a partition's name has no "=".
    const stream = `LOG_${prefix}_${partition.replaceAll(".", "=")}`;
    return { stream, subject: `${prefix}.log.${partition}` };
  }

  #check(partition: string): void {
    if (this.#connection.isClosed) throw closedError();
    checkPartition(partition);
  }
}
