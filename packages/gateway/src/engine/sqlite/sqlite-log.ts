import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Appended, Log, LogRecord } from "../engine.ts";
import { closedError } from "../engine-error.ts";
import { batchBytes, checkBatch } from "../local/batch.ts";
import { checkPartition } from "../names.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { sqliteError } from "./sqlite-error.ts";

/** Rows that are read at once. */
const MOST_ROWS = 1_000;

interface LogOptions {
  readonly path: string;
  readonly maxBytes: number;
}

interface LineRow {
  readonly place: number;
  readonly text: string;
}

/** A log in the database. */
export class SqliteLog implements Log {
  readonly #queue: CommitQueue;
  readonly #reader: LogReader;
  readonly #options: LogOptions;
  readonly #sizes: StatementSync;
  #closed = false;

  constructor(database: DatabaseSync, queue: CommitQueue, options: LogOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#reader = new LogReader(database, options.path);
    this.#sizes = database.prepare("SELECT bytes FROM log_partitions WHERE partition = ?");
  }

  async append(
    partition: string,
    batch: readonly Uint8Array[],
    { id }: { id?: string } = {},
  ): Promise<Appended> {
    this.#check(partition);
    checkBatch(batch, { id, most: this.#options.maxBytes });
    const operation = { kind: "append", partition, id, batch: batch.map(toText) } as const;
    const { appended } = await this.#queue.addOne(operation, batchBytes(batch));
    return appended as Appended;
  }

  async *read(partition: string, from = 0): AsyncGenerator<LogRecord> {
    this.#check(partition);
    const end = this.#reader.bounds(partition)?.last ?? 0;
    for (let next = from; next <= end; ) {
      if (this.#closed) throw closedError();
      const records = this.#reader.chunk(partition, next, end);
      yield* records;
      next = (records.at(-1)?.sequence ?? end) + 1;
    }
  }

  async bounds(partition: string): Promise<{ first: number; last: number } | undefined> {
    this.#check(partition);
    return this.#reader.bounds(partition);
  }

  async trim(partition: string, before: number): Promise<void> {
    this.#check(partition);
    for (let hasMore = true; hasMore; ) {
      const outcome = await this.#queue.addOne({ kind: "trim", partition, before });
      hasMore = outcome.hasMore === true;
    }
  }

  async bytes(partition: string): Promise<number> {
    this.#check(partition);
    return ((this.#sizes.get(partition) ?? {}) as { bytes?: number }).bytes ?? 0;
  }

  close(): void {
    this.#closed = true;
  }

  #check(partition: string): void {
    if (this.#closed) throw closedError();
    checkPartition(partition);
  }
}

/** Reads the rows of a log. No statement stays open between two calls: it would keep the WAL growing. */
export class LogReader {
  readonly #path: string;
  readonly #rows: StatementSync;
  readonly #places: StatementSync;

  constructor(database: DatabaseSync, path: string) {
    this.#path = path;
    this.#rows = database.prepare(
      "SELECT place, text FROM log WHERE partition = ? AND place BETWEEN ? AND ? ORDER BY place, line LIMIT ?",
    );
    this.#places = database.prepare(
      "SELECT min(place) AS first, max(place) AS last FROM log WHERE partition = ?",
    );
  }

  bounds(partition: string): { first: number; last: number } | undefined {
    const { first, last } = this.#try(() => this.#places.get(partition)) as {
      first: number | null;
      last: number | null;
    };
    return first === null || last === null ? undefined : { first, last };
  }

  /** Some records from a place on; none when there are none up to `end`. */
  chunk(partition: string, from: number, end: number): LogRecord[] {
    const rows = this.#lines(partition, [from, end], MOST_ROWS);
    if (rows.length < MOST_ROWS) return recordsOf(rows);
    // The last record may have more lines than were read.
    const last = rows.at(-1)?.place as number;
    const whole = rows.filter(({ place }) => place < last);
    return recordsOf(whole.length > 0 ? whole : this.#lines(partition, [last, last], -1));
  }

  #lines(partition: string, [from, end]: [number, number], most: number): LineRow[] {
    return this.#try(() => this.#rows.all(partition, from, end, most)) as unknown as LineRow[];
  }

  #try<Result>(query: () => Result): Result {
    try {
      return query();
    } catch (error) {
      throw sqliteError(this.#path, error);
    }
  }
}

function recordsOf(rows: readonly LineRow[]): LogRecord[] {
  const lines = new Map<number, string[]>();
  for (const { place, text } of rows) {
    const known = lines.get(place);
    if (known) known.push(text);
    else lines.set(place, [text]);
  }
  return [...lines].map(([sequence, texts]) => ({
    sequence,
    record: new Uint8Array(Buffer.from(texts.join("\n"), "latin1")),
  }));
}

/** Latin-1 maps each byte to one character, so that any bytes can be stored as text. */
function toText(record: Uint8Array): string {
  return Buffer.from(record.buffer, record.byteOffset, record.length).toString("latin1");
}
