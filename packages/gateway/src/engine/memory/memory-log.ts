import type { Appended, Log, LogRecord } from "../engine.ts";
import { closedError, EngineError } from "../errors.ts";
import { batchBytes, checkBatch } from "../local/batch.ts";
import { copyOf } from "../local/bytes.ts";
import { ConsumerGroup } from "../local/consumer-group.ts";
import { RecentIds } from "../local/recent-ids.ts";
import { checkBucket, checkPartition } from "../names.ts";

interface Partition {
  records: LogRecord[];
  next: number;
  bytes: number;
  readonly ids: RecentIds;
  readonly groups: Map<string, ConsumerGroup>;
}

export interface MemoryLogOptions {
  maxBytes: number;
  dedupeTime: number;
  /** Bytes of a partition. */
  maxLogBytes: number;
  onError(error: unknown): void;
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
      into.records.push({ sequence: into.next++, record: copyOf(record) });
    into.bytes += bytes;
    const last = into.next - 1;
    if (id !== undefined) into.ids.add(id, { first, last, time: Date.now() });
    for (const group of into.groups.values()) group.wake();
    return { first, last, duplicate: false };
  }

  async *read(partition: string, from = 0): AsyncGenerator<LogRecord> {
    const { records, next } = this.#partition(partition);
    // What is appended meanwhile is beyond the end; trimming makes a new array and leaves this one.
    const skipped = Math.max(0, from - (records[0]?.sequence ?? next));
    for (const { sequence, record } of records.slice(skipped)) {
      yield { sequence, record: copyOf(record) };
    }
  }

  async bounds(partition: string): Promise<{ first: number; last: number } | undefined> {
    const { records, next } = this.#partition(partition);
    return records[0] && { first: records[0].sequence, last: next - 1 };
  }

  consume(
    group: string,
    partition: string,
    fn: (batch: readonly LogRecord[]) => Promise<void>,
  ): () => void {
    checkBucket(group);
    const { groups } = this.#partition(partition);
    let consumers = groups.get(group);
    if (!consumers) {
      const read = (from: number): AsyncIterable<LogRecord> => this.read(partition, from);
      const { onError } = this.#options;
      consumers = new ConsumerGroup({ read, onError, remember: async () => {} }, 0);
      groups.set(group, consumers);
    }
    return consumers.add(fn);
  }

  async trim(partition: string, before: number): Promise<void> {
    const of = this.#partition(partition);
    const gone = of.records.filter(({ sequence }) => sequence < before);
    of.records = of.records.slice(gone.length);
    of.bytes -= batchBytes(gone.map(({ record }) => record));
  }

  async bytes(partition: string): Promise<number> {
    return this.#partition(partition).bytes;
  }

  close(): void {
    this.#closed = true;
    for (const { groups } of this.#partitions.values()) {
      for (const group of groups.values()) group.close();
    }
    this.#partitions.clear();
  }

  #partition(name: string): Partition {
    if (this.#closed) throw closedError();
    checkPartition(name);
    let partition = this.#partitions.get(name);
    if (!partition) {
      const ids = new RecentIds(this.#options.dedupeTime);
      partition = { records: [], next: 1, bytes: 0, ids, groups: new Map() };
      this.#partitions.set(name, partition);
    }
    return partition;
  }
}

function fullError(partition: string, { maxLogBytes }: MemoryLogOptions): EngineError {
  const text = `The partition "${partition}" holds ${maxLogBytes} bytes in memory; trim it, or use the file engine.`;
  return new EngineError("full", text);
}
