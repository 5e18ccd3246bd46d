import type { Appended, Log, LogRecord } from "../engine.ts";
import { closedError, EngineError } from "../engine-error.ts";
import { batchBytes, checkBatch } from "../local/batch.ts";
import { RecentIds } from "../local/recent-ids.ts";
import { checkPartition } from "../names.ts";

interface Partition {
  records: LogRecord[];
  next: number;
  bytes: number;
  readonly ids: RecentIds;
}

export interface MemoryLogOptions {
  maxBytes: number;
  dedupeTime: number;
  /** Bytes of a partition. */
  maxLogBytes: number;
}

/** A log in the memory of one process. */
export class MemoryLog implements Log {
  readonly #partitions = new Map<string, Partition>();
  readonly #options: MemoryLogOptions;
  #closed = false;

  constructor(options: MemoryLogOptions) {
    this.#options = options;
  }

  async append(
    partition: string,
    batch: readonly Uint8Array[],
    { id }: { id?: string } = {},
  ): Promise<Appended> {
    const into = this.#partition(partition);
    checkBatch(batch, { id, most: this.#options.maxBytes });
    const known = into.ids.find(id);
    if (known) return known;
    const bytes = batchBytes(batch);
    if (into.bytes + bytes > this.#options.maxLogBytes) throw fullError(partition, this.#options);
    const first = into.next;
    for (const record of batch)
      into.records.push({ sequence: into.next++, record: new Uint8Array(record) });
    into.bytes += bytes;
    const last = into.next - 1;
    if (id !== undefined) into.ids.add(id, { first, last, time: Date.now() });
    return { first, last, duplicate: false };
  }

  async *read(partition: string, from = 0): AsyncGenerator<LogRecord> {
    const { records, next } = this.#partition(partition);
    // Records appended during the iteration are beyond the end. Trimming creates a new array and leaves this
    // one.
    const skipped = Math.max(0, from - (records[0]?.sequence ?? next));
    for (const { sequence, record } of records.slice(skipped)) {
      yield { sequence, record: new Uint8Array(record) };
    }
  }

  async bounds(partition: string): Promise<{ first: number; last: number } | undefined> {
    const { records, next } = this.#partition(partition);
    return records[0] && { first: records[0].sequence, last: next - 1 };
  }

  async trim(partition: string, before: number): Promise<void> {
    const of = this.#partition(partition);
    const trimmed = of.records.filter(({ sequence }) => sequence < before);
    of.records = of.records.slice(trimmed.length);
    of.bytes -= batchBytes(trimmed.map(({ record }) => record));
  }

  async bytes(partition: string): Promise<number> {
    return this.#partition(partition).bytes;
  }

  close(): void {
    this.#closed = true;
    this.#partitions.clear();
  }

  #partition(name: string): Partition {
    if (this.#closed) throw closedError();
    checkPartition(name);
    let partition = this.#partitions.get(name);
    if (!partition) {
      const ids = new RecentIds(this.#options.dedupeTime);
      partition = { records: [], next: 1, bytes: 0, ids };
      this.#partitions.set(name, partition);
    }
    return partition;
  }
}

function fullError(partition: string, { maxLogBytes }: MemoryLogOptions): EngineError {
  const text = `The partition "${partition}" holds ${maxLogBytes} bytes in memory; trim it, or use the sqlite engine.`;
  return new EngineError("full", text);
}
